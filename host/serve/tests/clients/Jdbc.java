import java.math.BigDecimal;
import java.sql.*;
import java.util.ArrayList;
import java.util.List;
import java.util.Properties;

/** The JDBC driver of PostgreSQL: host and port are the arguments. */
public class Jdbc {
    static void same(Object found, Object expected) {
        if (!String.valueOf(found).equals(String.valueOf(expected))) {
            throw new AssertionError("found " + found + ", expected " + expected);
        }
    }

    interface Work {
        void run() throws SQLException;
    }

    static SQLException fails(String state, Work work) throws SQLException {
        try {
            work.run();
        } catch (SQLException error) {
            same(error.getSQLState(), state);
            return error;
        }
        throw new AssertionError("no error " + state);
    }

    static List<String> rows(ResultSet rows, String... columns) throws SQLException {
        List<String> found = new ArrayList<>();
        while (rows.next()) {
            List<String> row = new ArrayList<>();
            for (String column : columns) row.add(rows.getString(column));
            found.add(String.join("|", row));
        }
        rows.close();
        return found;
    }

    public static void main(String[] arguments) throws Exception {
        String url = "jdbc:postgresql://" + arguments[0] + ":" + arguments[1] + "/shop";
        Properties properties = new Properties();
        properties.setProperty("user", "local");
        properties.setProperty("prepareThreshold", "2");
        try (Connection db = DriverManager.getConnection(url, properties)) {
            statements(db);
            batches(db);
            transactions(db);
            metadata(db);
            errors(db);
            try (Statement all = db.createStatement()) {
                all.execute("DROP TABLE jdbc_line");
                all.execute("DROP TABLE jdbc_item");
            }
            System.out.println("JDBC " + db.getMetaData().getDriverVersion() + " passes");
        }
    }

    static void statements(Connection db) throws SQLException {
        try (Statement all = db.createStatement()) {
            all.execute("DROP TABLE IF EXISTS jdbc_line");
            all.execute("DROP TABLE IF EXISTS jdbc_item");
            all.execute("CREATE TABLE jdbc_item(id serial PRIMARY KEY, name varchar(20) NOT NULL UNIQUE,"
                + " price numeric(8,2), big bigint, ok boolean, day date, at timestamp, data bytea, f float8)");
            all.execute("CREATE TABLE jdbc_line(item integer NOT NULL REFERENCES jdbc_item(id) ON DELETE CASCADE,"
                + " number integer, note text, PRIMARY KEY (item, number))");
            all.execute("CREATE INDEX jdbc_note ON jdbc_line(note)");
        }
        String insert = "INSERT INTO jdbc_item(name, price, big, ok, day, at, data, f) VALUES (?, ?, ?, ?, ?, ?, ?, ?)";
        try (PreparedStatement one = db.prepareStatement(insert, Statement.RETURN_GENERATED_KEYS)) {
            // The driver names the statement, and requests binary, from the second time on.
            for (int time = 1; time <= 4; time++) {
                one.setString(1, "n" + time);
                one.setBigDecimal(2, new BigDecimal("12.50"));
                one.setLong(3, Long.MAX_VALUE - time);
                one.setBoolean(4, time % 2 == 0);
                one.setDate(5, Date.valueOf("2024-02-29"));
                one.setTimestamp(6, Timestamp.valueOf("2024-02-29 12:34:56.789"));
                one.setBytes(7, new byte[] {0, (byte) 255});
                one.setDouble(8, 0.1 * time);
                same(one.executeUpdate(), 1);
                try (ResultSet keys = one.getGeneratedKeys()) {
                    same(keys.next(), true);
                    same(keys.getInt("id"), time);
                }
            }
        }
        try (PreparedStatement one = db.prepareStatement("SELECT * FROM jdbc_item WHERE id = ? AND name = ?")) {
            for (int id = 1; id <= 4; id++) {
                one.setInt(1, id);
                one.setString(2, "n" + id);
                try (ResultSet row = one.executeQuery()) {
                    same(row.next(), true);
                    same(row.getBigDecimal("price"), "12.50");
                    same(row.getLong("big"), Long.MAX_VALUE - id);
                    same(row.getBoolean("ok"), id % 2 == 0);
                    same(row.getDate("day"), "2024-02-29");
                    same(row.getTimestamp("at"), "2024-02-29 12:34:56.789");
                    same(row.getBytes("data").length, 2);
                    same(row.getDouble("f"), 0.1 * id);
                    same(row.next(), false);
                }
            }
            ResultSetMetaData columns = one.getMetaData();
            same(columns.getColumnTypeName(3), "numeric");
            same(columns.getPrecision(3) + " " + columns.getScale(3), "8 2");
            same(one.getParameterMetaData().getParameterTypeName(1), "int4");
        }
        try (PreparedStatement some = db.prepareStatement("SELECT name FROM jdbc_item WHERE id = ANY (?) ORDER BY 1")) {
            some.setArray(1, db.createArrayOf("int4", new Integer[] {1, 3, 9}));
            same(rows(some.executeQuery(), "name"), "[n1, n3]");
        }
        try (PreparedStatement none = db.prepareStatement("SELECT ?::text IS NULL AS is_null")) {
            none.setNull(1, Types.VARCHAR);
            same(rows(none.executeQuery(), "is_null"), "[t]");
        }
    }

    static void batches(Connection db) throws SQLException {
        String insert = "INSERT INTO jdbc_line VALUES (?, ?, ?)";
        try (PreparedStatement many = db.prepareStatement(insert)) {
            for (int number = 0; number < 1000; number++) {
                many.setInt(1, 1 + number % 4);
                many.setInt(2, number);
                many.setString(3, number % 2 == 0 ? "even" : null);
                many.addBatch();
            }
            same(many.executeBatch().length, 1000);
            many.setInt(1, 1);
            many.setInt(2, 1000);
            many.setString(3, "x");
            many.addBatch();
            many.addBatch();
            fails("23505", many::executeBatch);
        }
        db.setAutoCommit(false);
        try (Statement all = db.createStatement()) {
            // By a cursor, in portions.
            all.setFetchSize(64);
            ResultSet rows = all.executeQuery("SELECT number FROM jdbc_line ORDER BY number");
            int count = 0;
            for (; rows.next(); count++) same(rows.getInt(1), count);
            same(count, 1000);
            db.commit();
            all.addBatch("UPDATE jdbc_line SET note = 'odd' WHERE note IS NULL");
            all.addBatch("DELETE FROM jdbc_line WHERE number >= 900");
            int[] counts = all.executeBatch();
            same(counts[0] + " " + counts[1], "500 100");
        }
        db.commit();
        db.setAutoCommit(true);
    }

    static void transactions(Connection db) throws SQLException {
        db.setAutoCommit(false);
        db.setTransactionIsolation(Connection.TRANSACTION_SERIALIZABLE);
        same(db.getTransactionIsolation(), Connection.TRANSACTION_SERIALIZABLE);
        try (Statement all = db.createStatement()) {
            all.executeUpdate("UPDATE jdbc_item SET price = 1");
            Savepoint before = db.setSavepoint("before");
            fails("42P01", () -> all.execute("SELECT * FROM jdbc_nope"));
            fails("25P02", () -> all.execute("SELECT 1"));
            db.rollback(before);
            db.releaseSavepoint(before);
            all.executeUpdate("DELETE FROM jdbc_item WHERE id = 4");
            db.rollback();
            same(rows(all.executeQuery("SELECT count(*) AS n FROM jdbc_item WHERE price = 12.50"), "n"), "[4]");
            all.executeUpdate("DELETE FROM jdbc_item WHERE id = 4");
            db.commit();
            same(rows(all.executeQuery("SELECT count(*) AS n FROM jdbc_line WHERE item = 4"), "n"), "[0]");
            db.commit();
        }
        db.setAutoCommit(true);
        db.setReadOnly(true);
        db.setAutoCommit(false);
        try (Statement all = db.createStatement()) {
            fails("25006", () -> all.executeUpdate("DELETE FROM jdbc_line"));
            db.rollback();
        }
        db.setAutoCommit(true);
        db.setReadOnly(false);
    }

    static void metadata(Connection db) throws SQLException {
        DatabaseMetaData all = db.getMetaData();
        same(all.getDatabaseProductName(), "PostgreSQL");
        String[] tables = {"TABLE"};
        same(rows(all.getTables(null, "public", "jdbc_%", tables), "TABLE_NAME", "TABLE_TYPE"),
            "[jdbc_item|TABLE, jdbc_line|TABLE]");
        same(rows(all.getColumns(null, "public", "jdbc_item", "%"), "COLUMN_NAME", "TYPE_NAME", "COLUMN_SIZE", "IS_NULLABLE").subList(0, 4),
            "[id|serial|10|NO, name|varchar|20|NO, price|numeric|8|YES, big|int8|19|YES]");
        same(rows(all.getPrimaryKeys(null, "public", "jdbc_line"), "COLUMN_NAME", "KEY_SEQ", "PK_NAME"),
            "[item|1|jdbc_line_pkey, number|2|jdbc_line_pkey]");
        same(rows(all.getImportedKeys(null, "public", "jdbc_line"), "PKTABLE_NAME", "PKCOLUMN_NAME", "FKCOLUMN_NAME", "FK_NAME", "DELETE_RULE"),
            "[jdbc_item|id|item|jdbc_line_item_fkey|" + DatabaseMetaData.importedKeyCascade + "]");
        same(rows(all.getExportedKeys(null, "public", "jdbc_item"), "FKTABLE_NAME"), "[jdbc_line]");
        same(rows(all.getIndexInfo(null, "public", "jdbc_line", false, true), "INDEX_NAME", "NON_UNIQUE", "COLUMN_NAME"),
            "[jdbc_line_pkey|f|item, jdbc_line_pkey|f|number, jdbc_note|t|note]");
        same(rows(all.getIndexInfo(null, "public", "jdbc_item", true, true), "INDEX_NAME", "COLUMN_NAME"),
            "[jdbc_item_name_key|name, jdbc_item_pkey|id]");
        same(rows(all.getSchemas(), "TABLE_SCHEM").contains("public"), true);
        same(rows(all.getTableTypes(), "TABLE_TYPE").contains("VIEW"), true);
    }

    static void errors(Connection db) throws SQLException {
        try (Statement all = db.createStatement()) {
            SQLException twice = fails("23505", () -> all.execute("INSERT INTO jdbc_item(name) VALUES ('n1')"));
            org.postgresql.util.ServerErrorMessage report =
                ((org.postgresql.util.PSQLException) twice).getServerErrorMessage();
            same(report.getConstraint() + " " + report.getTable(), "jdbc_item_name_key jdbc_item");
            fails("23503", () -> all.execute("INSERT INTO jdbc_line(item, number) VALUES (99, 1)"));
            fails("23502", () -> all.execute("INSERT INTO jdbc_item(name) VALUES (NULL)"));
            fails("42601", () -> all.execute("SELEC 1"));
            all.setQueryTimeout(1);
            fails("57014", () -> all.execute(
                "WITH RECURSIVE c(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM c) SELECT count(*) FROM c"));
            all.setQueryTimeout(0);
            same(rows(all.executeQuery("SELECT 1 AS one"), "one"), "[1]");
        }
    }
}
