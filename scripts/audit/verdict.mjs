const GRAVE = new Set(['high', 'critical']);

/**
 * What the answer of `npm audit --json` means.
 *
 * @param exceptions advisories that are accepted, each until a day
 * @param today as YYYY-MM-DD
 * @returns lines to print, and whether a weakness has to be dealt with
 */
export function verdictOn(answer, exceptions, today) {
  if (answer.vulnerabilities === undefined) {
    const reason = answer.message ?? answer.error?.summary ?? 'no answer';
    return { isBad: false, lines: [`the registry does not answer an audit: ${reason}`] };
  }
  const accepted = new Map(exceptions.map(({ advisory, until }) => [advisory, until]));
  const lines = [];
  let isBad = false;
  const seen = new Set();
  for (const { via } of Object.values(answer.vulnerabilities)) {
    for (const weakness of via) {
      // A name stands for the package through which it comes, which has an entry of its own.
      if (typeof weakness === 'string' || seen.has(weakness.url)) continue;
      seen.add(weakness.url);
      const { name, severity, title, url } = weakness;
      const advisory = url.slice(url.lastIndexOf('/') + 1);
      const until = accepted.get(advisory);
      const isAccepted = until !== undefined && today <= until;
      if (GRAVE.has(severity) && !isAccepted) isBad = true;
      const note = isAccepted ? `, accepted until ${until}` : '';
      lines.push(`${severity}: ${name}: ${title} (${advisory})${note}`);
    }
  }
  if (lines.length === 0) lines.push('no known weakness');
  return { isBad, lines };
}
