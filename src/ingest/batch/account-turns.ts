/**
 * A queue that takes turns between accounts: the next item is the oldest of the account that has
 * waited longest for its turn, so that one account's thousand files don't starve another's one.
 */
export class AccountTurns<Item extends { readonly account: string }> {
  /** Accounts in the order of their turns, each with its items in order. */
  private readonly queues = new Map<string, Item[]>();
  private items = 0;

  get length(): number {
    return this.items;
  }

  push(item: Item): void {
    const queue = this.queues.get(item.account);
    if (queue === undefined) this.queues.set(item.account, [item]);
    else queue.push(item);
    this.items++;
  }

  next(): Item | undefined {
    for (const [account, queue] of this.queues) {
      const item = queue.shift()!;
      // Deleting and setting again moves the account to the end of the Map's order.
      this.queues.delete(account);
      if (queue.length > 0) this.queues.set(account, queue);
      this.items--;
      return item;
    }
    return undefined;
  }
}
