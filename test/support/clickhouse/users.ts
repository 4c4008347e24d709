/**
 * The users of a server's configuration: one without a password, who has only these rights.
 *
 * @param grants statements `GRANT …` without `TO`
 * @param databases row filters, as XML
 */
export function usersXml(grants: readonly string[], databases = ''): string {
  return `<clickhouse>
    <profiles><default/></profiles><quotas><default/></quotas>
    <users><default>
      <password/><profile>default</profile><quota>default</quota>
      <grants>${grants.map((each) => `<query>${each}</query>`).join('')}</grants>
      ${databases}
    </default></users>
  </clickhouse>`;
}
