import type { IncomingHttpHeaders } from 'node:http';

const THIS_MACHINE = /^(?:127\.0\.0\.1|localhost|\[::1\])(?::\d+)?$/i;

/**
 * Why a request comes from where nobody has any business here; undefined: it may be answered. The
 * interface asks for no password, and a web page in a browser on this machine reaches it as well:
 * under a name of its own that it lets point here, which `Host` tells (one who sends none is no
 * better), or as a script or picture of another site, which the browser tells.
 */
export function strangeness(headers: IncomingHttpHeaders): string | undefined {
  if (!THIS_MACHINE.test(headers.host ?? '')) {
    return 'The host must be 127.0.0.1, localhost or [::1].';
  }
  const site = headers['sec-fetch-site'];
  if (site !== undefined && site !== 'none' && site !== 'same-origin') {
    return 'Web pages of other sites are not answered.';
  }
  return undefined;
}
