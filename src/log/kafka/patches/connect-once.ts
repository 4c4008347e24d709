import Connection from 'kafkajs/src/network/connection.js';

let isMended = false;

/**
 * Mends a fault of kafkajs 2.2.4, once per process: two requests at once over a connection that is not
 * there yet make two sockets, of which it forgets the first. That one stays open, and keeps a process
 * that would end.
 */
export function mendConnecting(): void {
  if (isMended) return;
  isMended = true;
  const { connect } = Connection.prototype;
  const connecting = new WeakMap<Connection, Promise<true>>();
  Connection.prototype.connect = function (this: Connection): Promise<true> {
    let attempt = connecting.get(this);
    if (attempt === undefined) {
      attempt = connect.call(this).finally(() => connecting.delete(this));
      connecting.set(this, attempt);
    }
    return attempt;
  };
}
