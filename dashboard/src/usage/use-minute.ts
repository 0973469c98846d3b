import { useEffect, useState } from 'react'

type Sample = {
  service: string
  taskId: string
  containerId: string
  cpuPercent: number
  memoryBytes: number
  memoryLimitBytes: number | null
  networkRxBytes: number
  networkTxBytes: number
}
export type Measured = { service: string; taskId: string; containerId: string; samples: Sample[] }

/** A minute of looks, one every three seconds. */
const MOST_SAMPLES = 20

/** The looks of the last minute, container by container; one that is gone is not shown any more. */
export function useMinute(data: Sample[] | undefined, lookedAt: number): Measured[] {
  const [minute, setMinute] = useState<Measured[]>([])
  // biome-ignore lint/correctness/useExhaustiveDependencies: each look counts once, also where it is like the one before
  useEffect(() => {
    if (data) setMinute((before) => withLook(before, data))
  }, [lookedAt])
  return minute
}

export function withLook(before: Measured[], data: Sample[]): Measured[] {
  const known = new Map(before.map((one) => [one.taskId, one.samples]))
  return data
    .map((sample) => ({
      service: sample.service,
      taskId: sample.taskId,
      containerId: sample.containerId,
      samples: [...(known.get(sample.taskId) ?? []), sample].slice(-MOST_SAMPLES),
    }))
    .toSorted((a, b) => a.service.localeCompare(b.service) || a.taskId.localeCompare(b.taskId))
}
