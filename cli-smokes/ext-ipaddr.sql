-- cli-smokes/ext-ipaddr.sql: addresses and networks.
-- args: test.db
-- ours-only: native shells load no components
.load ipaddr
SELECT '110', ipfamily('192.168.1.1'), ipfamily('2001:db8::1');
SELECT '120', iphost('192.168.16.12/24'), ipmasklen('192.168.16.12/24');
SELECT '130', ipnetwork('192.168.16.12/24');
SELECT '140', ipcontains('192.168.16.0/24', '192.168.16.3'), ipcontains('192.168.16.0/24', '192.168.17.3');
SELECT '150', ipfamily(NULL) IS NULL;
