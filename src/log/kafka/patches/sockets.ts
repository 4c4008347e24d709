import { connect as connectPlain, isIP } from 'node:net';
import { connect as connectTls } from 'node:tls';
import type { ISocketFactory } from 'kafkajs';

const KEEP_ALIVE_MS = 60_000;

/**
 * Sockets as kafkajs makes them itself, except that `unref` does nothing once they are closed.
 * While a broker is away kafkajs calls it on the same closed socket with every attempt. Each time
 * Node remembers to do it after a connect that never comes, and warns of a leak, rightly.
 */
export const createSocket: ISocketFactory = ({ host, port, ssl, onConnect }) => {
  // Against its types, kafkajs passes null without TLS.
  const socket = Boolean(ssl)
    ? connectTls(
        { host, port, ...(isIP(host) === 0 ? { servername: host } : {}), ...ssl },
        onConnect,
      )
    : connectPlain({ host, port }, onConnect);
  socket.setKeepAlive(true, KEEP_ALIVE_MS);
  const unref = socket.unref.bind(socket);
  socket.unref = () => (socket.destroyed ? socket : unref());
  return socket;
};
