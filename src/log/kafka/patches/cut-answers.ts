import Connection from 'kafkajs/src/network/connection.js';

/** An answer begins with its length. */
const LENGTH_BYTES = 4;

/**
 * Fixes kafkajs 2.2.4 in this process: what has come of an answer stays when the connection ends,
 * and the answers of the next connection are read as the rest of it. None of them is understood.
 */
export function mendCutAnswers(): void {
  const { connect } = Connection.prototype;
  Connection.prototype.connect = function (this: Connection): Promise<true> {
    if (!this.isConnected()) {
      this.chunks = [];
      this.bytesBuffered = 0;
      this.bytesNeeded = LENGTH_BYTES;
    }
    return connect.call(this);
  };
}
