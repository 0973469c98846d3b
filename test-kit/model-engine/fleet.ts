import type { Answer, Machines } from '../../server/src/core/deployments/converge/converge.ts'
import type { Observed } from '../../server/src/core/deployments/converge/planning/observed.ts'
import type { Operation } from '../../server/src/core/deployments/converge/planning/operation.ts'
import type { Swarm } from './swarm.ts'

/** Several servers as one; each passes its own time. */
export class Fleet implements Machines {
  readonly #swarms: Swarm[]

  constructor(swarms: Swarm[]) {
    this.#swarms = swarms
  }

  async observe(): Promise<Observed> {
    return Object.assign({}, ...(await Promise.all(this.#swarms.map((swarm) => swarm.observe()))))
  }

  act(one: Operation, options: Parameters<Machines['act']>[1]): Promise<Answer> {
    const swarm = this.#swarms.find(({ server }) => server === one.server)
    if (!swarm) throw new Error(`no server ${one.server}`)
    return swarm.act(one, options)
  }
}
