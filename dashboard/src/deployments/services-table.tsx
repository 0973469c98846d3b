import type { DeploymentService } from '@slipway/contract/deployment-shape'
import { Link } from '@tanstack/react-router'
import { Card } from '../ui/page.tsx'

const TONES: Partial<Record<DeploymentService['status'], string>> = {
  healthy: 'text-ok',
  failed: 'text-bad',
  deploying: 'text-run',
  building: 'text-run',
  unknown: 'text-ask',
}

const WORDS: Record<DeploymentService['status'], string> = {
  pending: 'Waiting',
  building: 'Building',
  built: 'Built',
  deploying: 'Starting',
  healthy: 'Healthy',
  failed: 'Failed',
  restored: 'Put back',
  removed: 'Removed',
  unknown: 'Not known',
}

type Props = { id: string; services: DeploymentService[]; told: string | undefined }

/** `told`: what stands above it already, and is not said again. */
export function ServicesTable({ id, services, told }: Props) {
  if (services.length === 0) return <p className="text-soft">Its services are known when the source was read.</p>
  return (
    <Card>
      <table className="w-full text-left">
        <thead className="border-b border-line text-xs text-faint">
          <tr className="[&>th]:px-4 [&>th]:py-2 [&>th]:font-medium">
            <th scope="col">Service</th>
            <th scope="col">State</th>
            <th scope="col" className="max-sm:hidden">
              Image
            </th>
            <th scope="col" className="text-right">
              Replicas
            </th>
            <th scope="col">
              <span className="sr-only">Log</span>
            </th>
          </tr>
        </thead>
        <tbody className="divide-y divide-line">
          {services.map((service) => (
            <ServiceRow key={service.name} id={id} service={service} told={told} />
          ))}
        </tbody>
      </table>
    </Card>
  )
}

type RowProps = { id: string; service: DeploymentService; told: string | undefined }

function ServiceRow({ id, service, told }: RowProps) {
  const { name, status, image, digest, replicas, error, waitingFor } = service
  const open = waitingFor?.open.map(({ port }) => port).join(', ')
  return (
    <tr className="[&>*]:px-4 [&>*]:py-2.5">
      <th scope="row" className="font-medium break-words">
        {name}
      </th>
      <td className={TONES[status] ?? 'text-soft'}>
        {error && error.message !== told ? error.message : WORDS[status]}
        {waitingFor && (
          <span className="block text-xs text-soft">
            port {waitingFor.port} is not open yet{open ? `; open: ${open}` : ''}
          </span>
        )}
      </td>
      <td className="max-w-64 truncate font-mono text-xs text-soft max-sm:hidden">
        {image ?? digest?.slice(7, 19) ?? '–'}
      </td>
      <td className="text-right num">{replicas}</td>
      <td className="text-right">
        <Link
          to="/deployments/$id"
          params={{ id }}
          search={{ service: name }}
          aria-label={`Log of ${name}`}
          className="inline-flex items-center text-xs font-medium text-brand hover:underline pointer-coarse:min-h-11"
        >
          Log
        </Link>
      </td>
    </tr>
  )
}
