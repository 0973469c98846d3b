import { join } from 'node:path'
import { pino } from 'pino'
import type { Config } from '../config.ts'
import { people } from '../core/access/people.ts'
import { membershipsOf } from '../core/access/people-store.ts'
import { denials } from '../core/audit/denials.ts'
import { linkChecks } from '../core/cloud/link-checks.ts'
import { linkedCloud } from '../core/cloud/linked-cloud.ts'
import { promotePipeline } from '../core/cloud/promote/pipeline.ts'
import { followLinks } from '../core/cloud/relay/follow-links.ts'
import { restartPipeline } from '../core/deployments/converge/restart.ts'
import { settlePipeline } from '../core/deployments/converge/settle.ts'
import { activeReleases } from '../core/deployments/events/active-releases.ts'
import { feeds } from '../core/deployments/events/feed.ts'
import { history } from '../core/deployments/events/history/history.ts'
import { liveRedactors } from '../core/deployments/events/live-redactors.ts'
import { redactors } from '../core/deployments/events/redact/redactors.ts'
import { guardGrants } from '../core/deployments/rollout/guard-grants.ts'
import { reroutePipeline } from '../core/deployments/rollout/reroute.ts'
import { deployPipeline } from '../core/deployments/story/pipeline.ts'
import { forgetPipeline } from '../core/deployments/verbs/project/forget.ts'
import { servingLooks } from '../core/deployments/verbs/project/serving-looks.ts'
import { removePipeline } from '../core/deployments/verbs/remove.ts'
import { restorePipeline } from '../core/deployments/watch/restore.ts'
import { certificatePipeline } from '../core/domains/certificates/order.ts'
import { forgetBrokered } from '../core/githost/broker/keep-brokered.ts'
import { connectedCredential } from '../core/githost/clone-token.ts'
import { openRemoteTree } from '../core/githost/contents.ts'
import { mayLink } from '../core/githost/may-link.ts'
import { followRun } from '../core/githost/push/follow-run.ts'
import { startSettling } from '../core/githost/push/settle-heads.ts'
import { relays } from '../core/githost/relay/relays.ts'
import { takeRelayed } from '../core/githost/relay/take-relayed.ts'
import { blocksIn } from '../core/githost/store.ts'
import { installationTokens } from '../core/githost/tokens.ts'
import { claims } from '../core/idempotency/claims.ts'
import { openInstance } from '../core/instance/guard.ts'
import { sendOnPost } from '../core/mail/send-on-post.ts'
import { scanSemaphore } from '../core/migration/scan-semaphore.ts'
import { mayConnect } from '../core/networks/may-connect.ts'
import type { Platform, WorkerParts } from '../core/platform.ts'
import { signIn } from '../core/registries/sign-in.ts'
import { tokenUse } from '../core/tokens/use.ts'
import { openDatabase } from '../db/database.ts'
import { type Epoch, openEpoch } from '../db/epoch.ts'
import { notifications } from '../db/notifications.ts'
import { diskArchive } from '../drivers/archive/disk-archive.ts'
import { diskBlobs } from '../drivers/blobs/disk-blobs.ts'
import { buildxBuilder } from '../drivers/builder/buildx.ts'
import { syncContext } from '../drivers/builder/context.ts'
import { projectFolders } from '../drivers/builder/project-folders.ts'
import { localDataDir } from '../drivers/data-dir/local-data-dir.ts'
import { dnsResolver } from '../drivers/dns/resolver.ts'
import { alias } from '../drivers/edge/alias.ts'
import { caddyEdge } from '../drivers/edge/caddy.ts'
import { connectEngine } from '../drivers/engine/connect.ts'
import type { EngineTarget } from '../drivers/engine/engine.ts'
import { dockerInspector } from '../drivers/engine/inspect.ts'
import { localFolders } from '../drivers/folder/local-folders.ts'
import { gitBinary } from '../drivers/git/binary.ts'
import { gitHost } from '../drivers/githost/host.ts'
import { registryDoor } from '../drivers/registry/check-login.ts'
import { FILES_VOLUME, projectVolume } from '../drivers/runtime/labels.ts'
import { type InstanceMark, requireOwn } from '../drivers/runtime/owner.ts'
import { serverReading } from '../drivers/runtime/reading/open-reader.ts'
import { swarmRuntime } from '../drivers/runtime/swarm.ts'
import { generateKeyPair } from '../drivers/ssh/key-pair.ts'
import { publicKeyOf } from '../drivers/ssh/public-key.ts'
import { storageOpener } from '../drivers/storage/open.ts'
import { tlsProber } from '../drivers/tls-probe/prober.ts'
import { encodeEvent } from '../http/event-stream.ts'
import { URGENCY } from '../jobs/enqueue.ts'
import { type Listener, openListener } from '../jobs/listener.ts'
import { startSchedule } from '../jobs/schedule.ts'
import { openTransport, type Transport } from '../jobs/transport.ts'
import { startWorker } from '../jobs/worker.ts'
import { type Begun, beginEpoch } from './begin-epoch.ts'
import { cloudPassage } from './cloud-passage.ts'
import { authorityOf, cloudDoorOf, mailDoorOf, rootsIn } from './doors.ts'
import { keepWorking, type Working } from './keep-working.ts'
import { linksOf } from './links.ts'
import { byOneProcess } from './schedule.ts'

export type Wired = {
  platform: Platform
  drain: AbortController
  /** Sees that database and data directory are this instance's, and from then on that they stay so. Before all else. */
  begin(): Promise<Begun>
  /** Begins to run what was submitted, until drained. */
  work(): Promise<{ drain(): Promise<void> }>
  /** Takes the edge of a server away, with all its routes. */
  removeEdge(target: EngineTarget, signal: AbortSignal): Promise<void>
  close(): Promise<void>
}

export const createLogger = (level: string) =>
  pino({ level, base: { service: 'slipway' }, timestamp: pino.stdTimeFunctions.isoTime, redact: SECRET_PATHS })
export type Logger = ReturnType<typeof createLogger>

/** Nothing logs these on purpose; this is the second lock. */
const SECRET_PATHS = [
  'authorization',
  'cookie',
  'password',
  'secret',
  'privateKey',
  'passphrase',
  'accessKeyId',
  'secretAccessKey',
  'sftpPassword',
  'sftpPrivateKey',
  'sftpKeyPassphrase',
  'token',
  'value',
].flatMap((name) => [name, `*.${name}`, `*.*.${name}`])

/** The only place that builds the parts and hands them to core. */
export function wire(config: Config, logger: Logger): Wired {
  const { epoch, db, pool, listener, changes, transport, close } = openDatabaseParts(config, logger)
  const drain = new AbortController()
  const dataDir = localDataDir(config.dataDir)
  const instance = openInstance({ db, pool, dataDir, log: logger })
  const mark = { instance: config.instance, id: instance.id }
  const runtime = swarmRuntime({ ...mark, ...machineOf(config) })
  const reading = serverReading(mark)
  const platform: Platform = {
    config,
    db,
    pool,
    instance,
    dataDir,
    keys: config.keys,
    people: people({ db, pool, config }),
    ...heldBy(db),
    links: linksOf(config),
    servingLooks: servingLooks(drain.signal),
    blobs: diskBlobs(join(config.dataDir, 'blobs')),
    engines: dockerInspector(),
    localFolders: foldersOf(config),
    sshKeys: { generate: generateKeyPair, publicKeyOf },
    mayLink: (tx, caller, repository) => mayLink({ config }, tx, caller, repository),
    transport,
    changes,
    ...toldOf(config, { db, changes }),
    runtime: guardGrants(signIn(runtime, { db, keys: config.keys }), { db, serverReading: reading }),
    serverReading: reading,
    ...outsideOf(config, mark),
    ...cloudOf(config, db, logger),
    githost: githostOf(config, db),
    githostTokens: installationTokens(changes),
    relays: relays({ db, changes, log: logger }),
    relayed: takeRelayed({ config, changes }),
    remoteTrees: { open: (caller, asked, signal) => openRemoteTree(platform, caller, { ...asked, signal }) },
    log: logger,
    draining: drain.signal,
  }
  return {
    platform,
    drain,
    begin: () => beginEpoch({ platform, epoch }),
    work: () => work({ platform, epoch, transport, listener }),
    removeEdge: platform.edge.remove,
    async close() {
      runtime.close()
      platform.mailDoor?.close()
      platform.cloudPassage.close()
      await close()
    },
  }
}

/** The way to hosted clouds, and what an organization has by the one that it is linked to. */
function cloudOf(config: Config, db: Platform['db'], logger: Logger) {
  const passage = cloudPassage(config, logger)
  const linked = linkedCloud({ db, config, keys: config.keys, cloudPassage: passage })
  return { cloudPassage: passage, linkedCloud: linked, forgetLinked: forgetBrokered }
}

/** What a process has in memory and may lose. */
const heldBy = (db: Platform['db']) => ({
  tokenUse: tokenUse(db),
  denials: denials(db, membershipsOf),
  claims: claims(db),
  scans: scanSemaphore(),
  linkChecks: linkChecks(),
})

/** What deployments print, as it comes and as it is kept. */
function toldOf(config: Config, { db, changes }: Pick<Platform, 'db' | 'changes'>) {
  const archive = diskArchive(join(config.dataDir, 'logs'))
  const past = history({ db, archive })
  const shown = {
    feeds: feeds({ db, changes, history: past, encode: encodeEvent }),
    activeReleases: activeReleases(db),
    redactors: redactors(),
    liveRedactors: liveRedactors({ db, changes }),
  }
  return { archive, history: past, ...shown }
}

/** Every way this process has to its database; each new connection is looked at before it is used. */
function openDatabaseParts(config: Config, log: Logger) {
  const { databaseUrl, databaseConnections: connections } = config
  const onError = (error: Error) => log.warn({ reason: error.message }, 'a database connection was lost')
  const epoch = openEpoch()
  const { db, pool, close } = openDatabase({ url: databaseUrl, connections, onError, onConnect: epoch.look })
  const listener = openListener({ databaseUrl, log })
  const changes = notifications({ listener, pool, onError })
  const transport = openTransport({ databaseUrl, listener, log, epoch })
  const closeAll = async () => {
    changes.close()
    await transport.close()
    await listener.close()
    await close()
  }
  return { epoch, db, pool, listener, changes, transport, close: closeAll }
}

/** How often a process looks whether something recurring is due. */
const LOOK_MS = 2000

type Workshop = { platform: Platform; epoch: Epoch; transport: Transport; listener: Listener }

async function work({ platform, epoch, transport, listener }: Workshop): Promise<{ drain(): Promise<void> }> {
  const { db, log, changes } = platform
  const parts = workerParts(platform)
  // Of processes that died: what builds for nobody.
  await parts.builder.endLeftovers().catch((error) => log.warn({ err: error }, 'old builds could not be ended'))
  const start = async (): Promise<Working> => {
    const options = { db, transport, listener, log, slots: SLOTS, onChange: changes.send }
    const worker = await startWorker({ ...options, pipelines: pipelines(parts) })
    const recurring = startSchedule({ db, log, lookMs: LOOK_MS, jobs: byOneProcess(parts) })
    const others = [recurring, startSettling(parts), sendOnPost(parts), followLinks(parts)]
    const all = async (end: Promise<void>) => void (await Promise.all([end, ...others.map((other) => other.stop())]))
    return { drain: () => all(worker.drain()), drop: () => all(worker.drop()) }
  }
  return keepWorking({ epoch, log, start })
}

const foldersOf = ({ localSources, upload }: Config) =>
  localSources === null ? null : localFolders(localSources, { most: upload.files })

/**
 * Runs at once in one process; most of their time is spent waiting for an engine. It takes several organizations that are
 * busy to fill them, and what is short or urgent has some for itself.
 */
const SLOTS = {
  all: 16,
  perOrg: 5,
  reserved: [
    { least: URGENCY.short, slots: 4 },
    { least: URGENCY.emergency, slots: 4 },
  ],
}

/** What of a machine no project gets. */
const machineOf = ({ edge, port, blockedNetworks, builder }: Config) => ({
  reservedPorts: [edge.httpPort, edge.httpsPort, port],
  blocked: { networks: blockedNetworks, image: builder.helperImage },
})

/** Everything of the edge is called after the instance: two of them may share an engine. */
const edgeName = (config: Config) => `${config.instance}-edge`

/** An edge is changed only where no other instance's mark stands. */
const edgeOf = (config: Config, mark: InstanceMark) =>
  caddyEdge<EngineTarget>(
    {
      async connect(target, signal) {
        const connection = await connectEngine(target, { signal, deadlineMs: 15_000 })
        await requireOwn(connection.docker, mark, signal).catch((error) => {
          connection.close()
          throw error
        })
        return connection
      },
    },
    { name: edgeName(config) },
  )

/** How names are made to lead somewhere and looked at from outside, and where backups go. */
const outsideOf = (config: Config, mark: InstanceMark) => ({
  storage: storageOpener,
  edge: edgeOf(config, mark),
  dns: dnsResolver({ servers: config.dnsServers }),
  registryDoor: registryDoor({ extraRoots: () => rootsIn(config.tlsCaFile) }),
  tlsProbe: tlsProber({ extraRoots: () => rootsIn(config.tlsCaFile) }),
  mailDoor: mailDoorOf(config),
  cloudDoor: cloudDoorOf(config),
})

function workerParts(platform: Platform): WorkerParts {
  const { config } = platform
  return {
    ...platform,
    builder: buildxBuilder({ ...config.builder, scratch: join(config.dataDir, 'builds'), instance: config.instance }),
    git: gitOf(config),
    hostCredential: (project, repository, signal) => connectedCredential(platform, project, repository, signal),
    followHead: (running, resolve) => followRun(platform, running, resolve),
    syncContext,
    folders: projectFolders(config.dataDir),
    acme: authorityOf(config),
    edgeAlias: alias,
    // Whatever someone calls a volume of theirs, it is not the one with the files of the source.
    volumeName: (project, key) => projectVolume(project, `data-${key}`),
    filesVolume: (project) => projectVolume(project, FILES_VOLUME),
  }
}

const gitOf = (config: Config) =>
  gitBinary({
    mayConnect: mayConnect(config),
    terse: config.mode === 'cloud',
    ...(config.gitCaFile !== null && {
      trust: { extra: config.gitCaFile, bundle: join(config.dataDir, 'git-authorities.pem') },
    }),
  })

/** Its address passes the same guard as those of repositories; limits are obeyed across processes. */
const githostOf = (config: Config, db: Platform['db']) =>
  gitHost({
    ...config.githost,
    caFile: config.gitCaFile,
    mayConnect: mayConnect(config),
    blocks: blocksIn(db),
  })

/** The kinds of runs. Those of a project share its lane. */
const pipelines = (parts: WorkerParts) => ({
  deploy: deployPipeline(parts),
  restart: restartPipeline(parts),
  remove: removePipeline(parts),
  settle: settlePipeline(parts),
  restore: restorePipeline(parts),
  reroute: reroutePipeline(parts),
  forget: forgetPipeline(parts),
  certificate: certificatePipeline(parts),
  promote: promotePipeline(parts),
})
