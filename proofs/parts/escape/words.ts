import type { Words } from './cases.ts'
import type { Stage } from './stage.ts'

/** What an attacker knows at best: the names and addresses of everything. */
export async function wordsOf({ ground, site, victim, look }: Stage, attackerHost: string): Promise<Words> {
  const edge = `${site.instance}-edge`
  const firstThree = (address: string) => address.split('.').slice(0, 3).join('.')
  const subnetOf = async (network: string) => {
    const { IPAM } = await ground.api.getNetwork(network).inspect()
    return firstThree(IPAM?.Config?.[0]?.Subnet ?? '')
  }
  const { MemTotal } = await ground.api.info()
  return {
    LOOK: look,
    LISTENER: ground.listener.address,
    REGISTRY: ground.registry,
    METADATA: ground.metadata,
    BASE: site.host('x').slice(2),
    VICTIM_HOST: victim.host,
    VICTIM_PROJECT: victim.project,
    VICTIM_VOLUME: victim.volume,
    VICTIM_NET: victim.network,
    VICTIM_CONTAINER: victim.container,
    VICTIM_IMAGE: victim.image.tag,
    VICTIM_IMAGE_ID: victim.image.id,
    VICTIM_IMAGE_SHORT: victim.image.id.slice(0, 12),
    VICTIM_IMAGE_11: victim.image.id.slice(0, 11),
    VICTIM_IMAGE_5: victim.image.id.slice(0, 5),
    VICTIM_EDGE_ADDRESS: victim.addresses[0] ?? '',
    ATTACKER_HOST: attackerHost,
    EDGE: edge,
    EDGE_CONFIG: `${edge}-config`,
    EDGE_PORT: String(site.httpPort),
    EDGE_SUBNET: firstThree(victim.addresses[0] ?? ''),
    EDGE_ADDRESS: `${await subnetOf(`${edge}-bridge`)}.2`,
    GWBRIDGE: await subnetOf('docker_gwbridge'),
    DOCKER0: await subnetOf('bridge'),
    ENGINE_ADDRESS: ground.machine.address,
    CONTROL_PLANE: ground.machine.network.gateway,
    CONTROL_PORT: new URL(site.base()).port,
    LOOPBACK_PORT: String(ground.loopback),
    PLAIN_HTTP_PORT: String(ground.loopback),
    ALL_BUT_20_MIB: String(MemTotal - 20 * 1024 ** 2),
  }
}
