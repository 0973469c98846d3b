import { until } from '../../test-kit/until.ts'
import { type DeliveryFaults, type Faults, noFaults } from './faults.ts'
import { findAccount } from './host.ts'
import type { Host, Settings } from './model.ts'

type FaultChange = Partial<Omit<Faults, 'deliveries'>> & { deliveries?: Partial<DeliveryFaults> }

/** The part of the control that makes things go wrong, hurry or wait. */
export function createSwitches(host: Host) {
  const { settings, traffic } = host
  return {
    /** Changes what is named; the rest stays. */
    faults: ({ deliveries, ...plain }: FaultChange): Faults => {
      Object.assign(host.faults, plain)
      Object.assign(host.faults.deliveries, deliveries)
      return host.faults
    },
    clearFaults: () => {
      host.faults = noFaults()
    },
    /** The same dice again, and the counts from zero. */
    seed: ({ seed }: { seed: number }) => {
      host.dice.seed(seed)
      Object.assign(traffic, { sent: 0, lost: 0, failed: 0, duplicated: 0, reordered: 0, badlySigned: 0 })
    },
    settings: (wanted: Partial<Settings>): Settings => Object.assign(settings, wanted),
    /** Counts begin anew. */
    limits: ({ primary, secondary }: { primary?: number | null; secondary?: boolean }) => {
      if (primary !== undefined) settings.primaryLimit = primary
      if (secondary !== undefined) settings.secondaryLimits = secondary
      host.usage.hours.clear()
      host.usage.minutes.clear()
    },
    tokenLife: ({ ms }: { ms: number }) => {
      settings.tokenLifeMs = ms
    },
    autoApprove: ({ on }: { on: boolean }) => {
      settings.autoApprove = on
    },
    deviceSettings: ({ interval, lifeMs }: { interval?: number; lifeMs?: number }) => {
      if (interval !== undefined) settings.deviceIntervalSeconds = interval
      if (lifeMs !== undefined) settings.deviceLifeMs = lifeMs
    },
    openDevices: () =>
      [...host.grants.devices.values()].map(({ userCode, user, denied }) => ({
        userCode,
        approved: user !== null,
        denied,
      })),
    approveDevice: ({ userCode, login, deny = false }: { userCode: string; login: string; deny?: boolean }) => {
      const found = [...host.grants.devices.values()].find((one) => one.userCode === userCode)
      const user = findAccount(host, login)
      if (!found || !user) throw new Error(`no device login ${userCode}, or no account ${login}`)
      if (deny) found.denied = true
      else found.user = user
    },
    /** How many deliveries there were, and what became of them. */
    deliveries: () => ({ ...traffic }),
    /** Resolves when no delivery is on its way any more. */
    delivered: async ({ deadlineMs = 30_000 }: { deadlineMs?: number } = {}) => {
      await until('no delivery is on its way', deadlineMs, () => traffic.underWay === 0, { everyMs: 5 })
    },
    /** What was asked since the last time. */
    requests: () => host.requests.splice(0),
  }
}
