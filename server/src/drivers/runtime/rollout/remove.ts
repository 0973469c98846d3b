import type Docker from 'dockerode'
import { callEngine, pause, unlessMissing } from '../ask.ts'
import { findService, tasksOf } from '../find.ts'
import { LABEL, type ServiceKey } from '../labels.ts'

/** Removes a service; its tasks get their grace period. Waiting matters to whoever removes its networks next. */
export async function removeService(
  docker: Docker,
  { wait, ...key }: ServiceKey & { instance: string; wait: boolean },
  signal: AbortSignal,
): Promise<{ removed: boolean }> {
  const found = await findService(docker, key, signal)
  if (found) await unlessMissing(callEngine(docker, { method: 'DELETE', path: `/services/${found.ID}` }, signal))
  const labels = { [LABEL.instance]: key.instance, [LABEL.project]: key.project, [LABEL.service]: key.service }
  // Also when somebody else removed it: its containers may still be stopping.
  const isLeaving = async () =>
    (await tasksOf(docker, labels, signal)).some(({ DesiredState }) => DesiredState === 'remove')
  while (wait && (await isLeaving())) await pause(200, signal)
  return { removed: found !== undefined }
}
