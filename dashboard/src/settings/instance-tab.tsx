import { type UseQueryResult, useQuery } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { addressQuery, healthQuery, instanceBackupsQuery } from '../api/platform.ts'
import { instanceQuery } from '../api/queries.ts'
import { Bones, Card, Code } from '../ui/page.tsx'
import { Refused } from '../ui/refused.tsx'
import { Fact, Facts, Section } from '../ui/section.tsx'
import { Stale } from '../ui/stale.tsx'
import { Tag } from '../ui/tag.tsx'
import { Age } from '../ui/time.tsx'
import { Limits } from './limits.tsx'

export function InstanceTab() {
  const instance = useQuery(instanceQuery)
  return (
    <>
      <Section title="This instance">
        <Answered query={instance} rows={4}>
          {({ version, commit, mode, cli }) => (
            <Facts>
              <Fact term="Version">
                {version} {commit && <Code>{commit.slice(0, 7)}</Code>}
              </Fact>
              <Fact term="Runs as">{mode === 'cloud' ? 'a cloud for many organizations' : 'a server of your own'}</Fact>
              <Fact term="Command line">
                {cli.least} to {cli.newest}
              </Fact>
              <Fact term="API">
                <a href="/api/docs" className="font-medium text-brand underline underline-offset-4">
                  Reference
                </a>
              </Fact>
            </Facts>
          )}
        </Answered>
      </Section>
      <Health />
      <Address />
      <Backups />
      <Limits />
    </>
  )
}

type AnsweredProps<T> = { query: UseQueryResult<T>; rows: number; children(data: T): ReactNode }

/** What was asked for, or why it is not there. */
function Answered<T>({ query, rows, children }: AnsweredProps<T>) {
  return (
    <>
      <Stale query={query} />
      {query.isPending && <Bones rows={rows} as="facts" />}
      {query.isLoadingError && <Refused error={query.error} onRetry={() => query.refetch()} />}
      {query.data !== undefined && <Card>{children(query.data)}</Card>}
    </>
  )
}

const PARTS: Record<string, string> = { database: 'Database', dataDirectory: 'Data directory', process: 'Process' }

function Health() {
  return (
    <Section title="Its parts" note="Whether the server can do its work now.">
      <Answered query={useQuery(healthQuery)} rows={3}>
        {({ checks }) => (
          <Facts>
            {Object.entries(checks).map(([name, { ok, detail }]) => (
              <Fact key={name} term={PARTS[name] ?? name}>
                <span className="-my-0.5 flex flex-wrap items-center gap-2">
                  <Tag tone={ok ? 'ok' : 'bad'}>{ok ? 'Well' : 'Not well'}</Tag>
                  <span className="min-w-0 text-soft">{detail}</span>
                </span>
              </Fact>
            ))}
          </Facts>
        )}
      </Answered>
    </Section>
  )
}

function Address() {
  return (
    <Section title="Its address" note="In links, in cookies, and what git hosts call.">
      <Answered query={useQuery(addressQuery)} rows={2}>
        {({ url, host, live, message, certificate }) => (
          <Facts>
            <Fact term="Address">
              <Code>{url}</Code>
            </Fact>
            <Fact term="State">
              <span className="-my-0.5 flex flex-wrap items-center gap-2">
                {host !== null && <Tag tone={live ? 'ok' : 'ask'}>{live ? 'Leads here' : 'Not yet'}</Tag>}
                <span className="min-w-0 text-soft text-pretty">{message}</span>
              </span>
            </Fact>
            {certificate?.validTo && (
              <Fact term="Certificate">good until {new Date(certificate.validTo).toLocaleDateString()}</Fact>
            )}
          </Facts>
        )}
      </Answered>
    </Section>
  )
}

type Run = { ok: boolean; at: string | null; lastSuccessAt: string | null }

function Backups() {
  return (
    <Section
      title="Backups of the platform itself"
      note="Its database and settings. Where they lie and why one failed is told on the machine alone."
    >
      <Answered query={useQuery(instanceBackupsQuery)} rows={2}>
        {({ backup, drill }) => (
          <Facts>
            <Fact term="Last backup">
              <LastRun run={backup} none="None is known of. Run slipway setup backup on the machine." />
            </Fact>
            <Fact term="Last drill">
              <LastRun run={drill} none="None is known of. A drill restores a backup to see that it can be done." />
            </Fact>
          </Facts>
        )}
      </Answered>
    </Section>
  )
}

function LastRun({ run, none }: { run: Run | null; none: string }) {
  if (run === null) return <span className="text-soft">{none}</span>
  return (
    <span className="-my-0.5 flex flex-wrap items-center gap-2">
      <Tag tone={run.ok ? 'ok' : 'bad'}>{run.ok ? 'Went well' : 'Failed'}</Tag>
      {run.at && <Age at={run.at} />}
      {!run.ok && run.lastSuccessAt && (
        <span className="text-soft">
          last went well <Age at={run.lastSuccessAt} />
        </span>
      )}
    </span>
  )
}
