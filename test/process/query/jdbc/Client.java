import java.sql.Connection;
import java.sql.DatabaseMetaData;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.ResultSetMetaData;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;

/**
 * Uses the official JDBC driver as reporting tools do, with its defaults, at the URL that is given.
 * Prints `name: value`.
 */
public class Client {
  public static void main(String[] arguments) throws SQLException {
    try (Connection connection = DriverManager.getConnection(arguments[0])) {
      print("product", connection.getMetaData().getDatabaseProductName());
      print("tables", tables(connection.getMetaData()));
      print("columns", columns(connection.getMetaData()));
      try (Statement statement = connection.createStatement()) {
        types(statement);
        large(statement);
        print("unknown", refusal(() -> statement.executeQuery("SELECT nothing FROM cost_report")));
        print("function", refusal(() -> statement.executeQuery("SELECT hostName()")));
        print("insert", refusal(() -> statement.executeUpdate(
            "INSERT INTO metric_archivals VALUES ('acme', 'x', true, now(), 1)")));
        print("drop", refusal(() -> statement.execute("DROP TABLE cost")));
      }
      prepared(connection);
    }
  }

  private static List<String> tables(DatabaseMetaData metaData) throws SQLException {
    List<String> names = new ArrayList<>();
    try (ResultSet tables = metaData.getTables(null, "custom_data", "cost%", null)) {
      while (tables.next()) names.add(tables.getString("TABLE_NAME"));
    }
    return names;
  }

  private static List<String> columns(DatabaseMetaData metaData) throws SQLException {
    List<String> names = new ArrayList<>();
    try (ResultSet columns = metaData.getColumns(null, "custom_data", "cost_summary", null)) {
      while (columns.next()) {
        names.add(columns.getString("COLUMN_NAME") + " " + columns.getString("TYPE_NAME"));
      }
    }
    return names;
  }

  private static void types(Statement statement) throws SQLException {
    String query =
        "SELECT channel, currency, sum(clicks) AS clicks, round(sum(cost), 2) AS total, "
            + "min(date) AS first_day FROM cost_summary WHERE account = 'acme' "
            + "GROUP BY channel, currency ORDER BY channel, currency";
    try (ResultSet rows = statement.executeQuery(query)) {
      ResultSetMetaData metaData = rows.getMetaData();
      List<String> types = new ArrayList<>();
      for (int column = 1; column <= metaData.getColumnCount(); column++) {
        types.add(metaData.getColumnTypeName(column));
      }
      print("types", types);
      while (rows.next()) {
        List<Object> row = new ArrayList<>();
        row.add(rows.getString("channel"));
        row.add(rows.getString("currency"));
        row.add(rows.getLong("clicks"));
        row.add(rows.getDouble("total"));
        print("row", row);
      }
    }
  }

  private static void large(Statement statement) throws SQLException {
    long count = 0;
    long sum = 0;
    String query = "SELECT number, toString(number) AS text FROM numbers(300000)";
    try (ResultSet rows = statement.executeQuery(query)) {
      while (rows.next()) {
        count++;
        sum += rows.getLong(1);
        if (!rows.getString(2).equals(Long.toString(rows.getLong(1)))) {
          throw new IllegalStateException("row " + count);
        }
      }
    }
    print("large", List.of(count, sum));
  }

  private static void prepared(Connection connection) throws SQLException {
    String query =
        "SELECT sum(clicks) FROM cost_report WHERE account = ? AND channel = ? AND cost > ?";
    try (PreparedStatement statement = connection.prepareStatement(query)) {
      statement.setString(1, "acme");
      statement.setString(2, "newsletter");
      statement.setDouble(3, 0.5);
      try (ResultSet rows = statement.executeQuery()) {
        rows.next();
        print("prepared", rows.getLong(1));
      }
      statement.setString(2, "it's \\ none");
      try (ResultSet rows = statement.executeQuery()) {
        rows.next();
        print("prepared", rows.getLong(1));
      }
    }
  }

  private interface Work {
    Object run() throws SQLException;
  }

  private static String refusal(Work work) {
    try {
      work.run();
      return "accepted";
    } catch (SQLException error) {
      return error.getErrorCode() + " " + error.getMessage().replace('\n', ' ');
    }
  }

  private static void print(String name, Object value) {
    System.out.println(name + ": " + value);
  }
}
