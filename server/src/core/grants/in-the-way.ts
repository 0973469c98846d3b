import type { Occupant } from '../../drivers/runtime/reading/occupants.ts'

/**
 * Who else writes to what a service is to use, or has a port of it: what runs, and what would come back by itself. A container that was
 * stopped by hand stays down with `no` and `unless-stopped`; with `always` it comes back with the engine, and so does one
 * with `on-failure` that ended with an error, which a stop by hand looks like. Pure.
 */
export function inTheWay(occupants: Occupant[]): { names: string[]; message: string; hint: string } | null {
  const runs = occupants.filter(({ state }) => RUNNING.has(state))
  const returns = occupants.filter((one) => !RUNNING.has(one.state) && comesBack(one))
  const all = [...runs, ...returns]
  if (all.length === 0) return null
  const said = all.map(({ kind, name, state, restart, holds }) => {
    const how = RUNNING.has(state) ? state : `${state}, but comes back with the engine (restart: ${restart})`
    return `${kind === 'service' ? 'the Swarm service' : 'the container'} ${name} (${how}) has ${holds.join(' and ')}`
  })
  return {
    names: all.map(({ name }) => name),
    message: `What is to be used is still in use on the server: ${shortened(said).join('; ')}.`,
    hint: hintFor(runs, returns),
  }
}

const RUNNING = new Set(['running', 'paused', 'restarting', 'removing'])
const comesBack = ({ kind, state, restart, exitCode }: Occupant) =>
  kind === 'container' && state === 'exited' && (restart === 'always' || (restart === 'on-failure' && exitCode !== 0))

function hintFor(runs: Occupant[], returns: Occupant[]): string {
  const names = (some: Occupant[]) => some.map(({ name }) => name).join(' ')
  const containers = runs.filter(({ kind }) => kind === 'container')
  const services = runs.filter(({ kind }) => kind === 'service')
  const lasting = [...containers.filter(({ restart }) => restart === 'always' || restart === 'on-failure'), ...returns]
  const steps = [
    ...(lasting.length > 0 ? [`docker update --restart=no ${names(lasting)}`] : []),
    ...(containers.length > 0 ? [`docker stop ${names(containers)}`] : []),
    ...services.map(({ name }) => `docker service scale ${name}=0`),
  ]
  return `On the server: ${steps.join(', then ')}. Do not remove anything. Then deploy again.`
}

const MOST_NAMED = 20
const shortened = (all: string[]) =>
  all.length > MOST_NAMED ? [...all.slice(0, MOST_NAMED), `and ${all.length - MOST_NAMED} more`] : all
