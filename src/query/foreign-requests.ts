import type { IncomingHttpHeaders } from 'node:http';

const THIS_MACHINE = /^(?:127\.0\.0\.1|localhost|\[::1\])(?::\d+)?$/i;

/**
 * Why a request may not be answered; undefined: it may. The interface asks for no password, and a
 * web page in a browser on this machine can reach it: under a host name that points here (DNS
 * rebinding), which `Host` shows, or as a script or picture of another site, which the browser
 * tells. A request without `Host` is refused as well.
 */
export function whyForeign(headers: IncomingHttpHeaders): string | undefined {
  if (!THIS_MACHINE.test(headers.host ?? '')) {
    return 'The host must be 127.0.0.1, localhost or [::1].';
  }
  const site = headers['sec-fetch-site'];
  if (site !== undefined && site !== 'none' && site !== 'same-origin') {
    return 'Web pages of other sites are not answered.';
  }
  return undefined;
}
