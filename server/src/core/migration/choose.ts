import { Refusal } from '../../errors.ts'
import { shown } from './carry-over/verdict.ts'
import { serviceNameOf } from './service-name.ts'
import type { Unit } from './units.ts'

/** The services that are meant, each once: by key, or by a name that only one has. */
export function choose(units: Unit[], wanted: string[]): Unit[] {
  const chosen = new Set(wanted.map((name) => find(units, name)))
  const refused = [...chosen].filter(({ carried }) => carried.reasons.length > 0)
  if (refused.length > 0) {
    const why = refused.map(({ key, carried }) => `${key}: ${carried.reasons.map(({ message }) => message).join(' ')}`)
    throw wrong(
      `Not all of it can be adopted. ${shorten(why).join(' ')}`,
      'Choose services that a scan says are adoptable.',
    )
  }
  return [...chosen]
}

function find(units: Unit[], name: string): Unit {
  const [exact] = units.filter(({ key }) => key === name)
  if (exact) return exact
  const called = units.filter((unit) => unit.name === name || unit.containers.some((one) => one.name === name))
  const [only, ...others] = called.length > 0 ? called : units.filter((unit) => serviceNameOf(unit.name) === name)
  if (only === undefined)
    throw wrong(
      `There is no service ${JSON.stringify(shown(name))} on the server.`,
      'POST /api/migration/scan tells what there is, with keys.',
    )
  if (others.length > 0) {
    const keys = [only, ...others].map(({ key }) => key)
    throw wrong(
      `Several services are called ${shown(name)}: ${shorten(keys).join(', ')}.`,
      'Send the key of the one that is meant.',
    )
  }
  return only
}

const MOST = 20
const shorten = (all: string[]) => (all.length > MOST ? [...all.slice(0, MOST), '…'] : all)

const wrong = (message: string, hint: string) =>
  new Refusal('invalid_request', message, { field: 'serviceNames', hint })
