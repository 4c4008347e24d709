import type { Broker, Cluster } from 'kafkajs';

/** What kafkajs does not declare. */
interface CoordinatorFinder {
  findGroupCoordinator(request: {
    readonly groupId: string;
    readonly coordinatorType: number;
  }): Promise<unknown>;
}

/** The protocol's number for consumer groups. */
const OF_GROUP = 0;

/**
 * The broker that keeps the group's offsets. kafkajs hides why no broker names it, such as a
 * missing right: then one is asked again, whose answer is thrown.
 */
export async function coordinatorOf(cluster: Cluster, group: string): Promise<Broker> {
  try {
    return await cluster.findGroupCoordinator({ groupId: group });
  } catch (error) {
    const [nodeId] = cluster.getNodeIds();
    if (nodeId === undefined) throw error;
    const broker: unknown = await cluster.findBroker({ nodeId: String(nodeId) });
    const finder = broker as CoordinatorFinder;
    await finder.findGroupCoordinator({ groupId: group, coordinatorType: OF_GROUP });
    throw error;
  }
}
