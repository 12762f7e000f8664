-- cli-smokes/ext-uuid.sql: bytes come out in order; what is no UUID gives NULL.
-- args: test.db
-- ours-only: native shells load no components
.load uuid
SELECT '110', hex(uuid_blob('00112233-4455-6677-8899-aabbccddeeff'));
SELECT '120', uuid_str(x'00112233445566778899aabbccddeeff');
SELECT '130', uuid_blob('no uuid') IS NULL;
SELECT '140', length(uuid4()), substr(uuid4(), 15, 1), substr(uuid7(), 15, 1);
SELECT '150', uuid4() <> uuid4(), gen_random_uuid() <> gen_random_uuid();
SELECT '160', uuid7_timestamp_ms('018ff38a-a5c9-712d-bc80-0550b3ad41a2'), uuid7_timestamp_ms(uuid4());
