-- loads: sqlean_uuid
select length(uuid4()), uuid4() glob '????????-????-4???-????-????????????', length(uuid7()), uuid7_timestamp_ms('018ff38a-a5c9-712d-bc80-0550b3ad41a2'), uuid_str(x'00112233445566778899aabbccddeeff'), hex(uuid_blob('00112233-4455-6677-8899-aabbccddeeff'));
select uuid_str('nope'), uuid_blob(NULL), uuid4() = uuid4();
