import type { Domain } from '@slipway/contract/domains'
import { ArrowRight, ArrowUpRight } from 'lucide-react'
import type { ReactNode } from 'react'
import { Tag } from '../ui/tag.tsx'
import { useNow } from '../ui/time.tsx'
import { certificateInWords, domainInWords } from './domain-words.ts'
import { isHereOnly, NAME_HERE_ONLY } from './here-only.ts'

type Props = { domain: Domain; action?: ReactNode; children?: ReactNode }

/** A name, how it stands, and where it leads; what is to be done about it stands below. */
export function DomainRow({ domain, action, children }: Props) {
  const { word, tone } = domainInWords(domain)
  return (
    <li className="px-4 py-3.5">
      <div className="flex items-start gap-3">
        <div className="min-w-0 flex-1">
          <div className="flex flex-wrap items-center gap-x-3 gap-y-1.5">
            <Name domain={domain} />
            <Tag tone={tone}>{word}</Tag>
            <Leads domain={domain} />
          </div>
          <CertificateLine domain={domain} />
        </div>
        {action}
      </div>
      {children}
    </li>
  )
}

function Name({ domain: { host, targetPath, live, certificate } }: { domain: Domain }) {
  const place = `${host}${targetPath ?? ''}`
  if (!live || host.startsWith('*.')) return <span className="font-medium break-all">{place}</span>
  const isSecure = certificate?.state === 'valid' || certificate?.state === 'renewing'
  return (
    <a
      href={`${isSecure ? 'https' : 'http'}://${place}`}
      target="_blank"
      rel="noreferrer"
      className="inline-flex min-w-0 items-center gap-1 font-medium break-all hover:underline"
    >
      {place}
      <ArrowUpRight size={13} className="shrink-0 text-faint" aria-hidden />
    </a>
  )
}

function Leads({ domain: { service, port, redirectTo } }: { domain: Domain }) {
  return (
    <span className="inline-flex items-center gap-1 text-xs text-soft">
      {redirectTo ? 'sends visitors' : service}
      <ArrowRight size={12} className="text-faint" aria-label="to" />
      <span className="num">{redirectTo ?? port ?? 'wherever it listens'}</span>
    </span>
  )
}

function CertificateLine({ domain }: { domain: Domain }) {
  const now = useNow()
  if (isHereOnly(domain.host)) return <p className="mt-1 text-xs text-faint text-pretty">{NAME_HERE_ONLY}</p>
  if (domain.dns && !domain.dns.ok && !domain.certificate?.validTo) return null
  return <p className="mt-1 text-xs text-faint text-pretty">{certificateInWords(domain, now)}</p>
}
