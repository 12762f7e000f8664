-- loads: sqlean_ipaddr
select ipfamily('192.168.1.1'), ipfamily('::1'), iphost('192.168.16.12/24'), ipmasklen('192.168.16.12/24'), ipnetwork('192.168.16.12/24'), ipcontains('192.168.16.0/24', '192.168.16.3'), ipcontains('2001:db8:abcd:0012::0/64', '2001:db8:abcd:0012::1');
select ipfamily('nope'), ipmasklen(NULL), ipcontains('a', 'b');
