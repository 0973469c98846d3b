import type { Mutation } from './mutation.ts'

const MODEL = 'docs/explanation/security-model.md'
const DOWNTIME = 'docs/explanation/zero-downtime.md'
const TRAPS = 'docs/explanation/engine-traps.md'
const ROLLOUT = 'server/src/drivers/runtime/rollout'
const RENDER = 'server/src/drivers/runtime/render'
const WATCH = 'server/src/drivers/runtime/watch'

/** What containers may do, and how one takes over from another. */
export const containers: Mutation[] = [
  {
    name: 'volume-with-options',
    guards: `${MODEL}: a volume has no mount options`,
    file: `${RENDER}/accept-volume.ts`,
    find: '  if (odd !== undefined) {',
    replace: "  if (odd !== undefined && odd !== 'options') {",
    red: {
      test: `${RENDER}/container.test.ts`,
      title: 'mount options of any kind: a release of old that carries them is not brought back',
    },
  },
  {
    name: 'path-out-of-the-volume',
    guards: `${MODEL}: mounts are volumes of its project`,
    file: `${RENDER}/accept-volume.ts`,
    find: "path !== '' && !/^\\/|\\0/.test(path) && !path.split('/').includes('..')",
    replace: "path !== '' && !/^\\/|\\0|^\\.\\./.test(path)",
    red: { test: `${RENDER}/container.test.ts`, title: 'paths that lead out of a volume' },
  },
  {
    name: 'raw-packets',
    guards: `${MODEL}: ten capabilities, no raw packets`,
    file: `${RENDER}/rights.ts`,
    find: "'SETFCAP', 'SETGID', 'SETPCAP', 'SETUID', 'SYS_CHROOT'],",
    replace: "'SETFCAP', 'SETGID', 'SETPCAP', 'SETUID', 'SYS_CHROOT', 'NET_RAW'],",
    red: { test: `${RENDER}/container.test.ts`, title: 'rights that reach beyond the container' },
  },
  {
    name: 'container-without-a-limit',
    guards: `${MODEL}: a container may use at most the memory and processes that its server allows`,
    file: `${RENDER}/bounds.ts`,
    find: 'Math.min(memoryBytes ?? usual, machineBytes, ceilings.memoryBytes ?? machineBytes)',
    replace: 'memoryBytes ?? Math.min(usual, machineBytes, ceilings.memoryBytes ?? machineBytes)',
    red: {
      test: `${RENDER}/container.test.ts`,
      title: 'is limited in memory and processes also where nothing is said',
    },
  },
  {
    name: 'port-of-the-edge',
    guards: `${MODEL}: ports of the machine, never those of the edge, the platform, Swarm or SSH`,
    file: `${RENDER}/accept-ports.ts`,
    find: 'reserved.includes(published) || SERVERS_OWN.includes(published)',
    replace: 'SERVERS_OWN.includes(published)',
    red: { test: `${RENDER}/container.test.ts`, title: 'ports of the edge, of the platform and of the cluster' },
  },
  {
    name: 'kernel-setting-by-its-beginning',
    guards: `${MODEL}: allowlists of ulimits and sysctls`,
    file: `${RENDER}/accept-process.ts`,
    find: '|kernel\\.(shm(max|all|mni|_rmid_forced)|msg(max|mnb|mni)|sem))$/',
    replace: '|kernel\\.(shm(max|all|mni|_rmid_forced)|msg(max|mnb|mni)|sem))/',
    red: {
      test: `${RENDER}/container.test.ts`,
      title: 'limits and kernel settings that are shared with the server',
    },
  },
  {
    name: 'old-one-stopped-first',
    guards: `${DOWNTIME}: the new container starts beside the old one`,
    file: `${RENDER}/render.ts`,
    find: "return ports.length > 0 || exclusive ? 'stop-first' : order",
    replace: "return ports.length > 0 || !exclusive ? 'stop-first' : order",
    red: { test: `${RENDER}/render.test.ts`, title: 'starts first, unless two could not stand beside each other' },
  },
  {
    name: 'two-writers-of-a-volume',
    guards: `${DOWNTIME}: an application with a writable volume is stopped before its successor starts`,
    file: `${RENDER}/render.ts`,
    find: 'const exclusive = !canShare && [...volumes, ...binds].some(({ readOnly }) => !readOnly)',
    replace: 'const exclusive = !canShare && binds.some(({ readOnly }) => !readOnly)',
    red: { test: `${RENDER}/render.test.ts`, title: 'starts first, unless two could not stand beside each other' },
  },
  {
    name: 'back-to-what-was-interrupted',
    guards: `${DOWNTIME}: if the new one dies or gets sick, the old version comes back`,
    file: `${RENDER}/render.ts`,
    find: "const action = over === 'rollout' ? 'pause' : 'rollback'",
    replace: "const action = over === 'nothing' ? 'pause' : 'rollback'",
    red: { test: `${RENDER}/render.test.ts`, title: 'goes back on failure, but never to what it interrupts' },
  },
  {
    name: 'healthy-because-the-engine-says-so',
    guards: `${TRAPS}: tasks decide; the status only tells what the engine did by itself`,
    file: `${WATCH}/judge.ts`,
    find: 'const complete = running === wanted && old === 0\n',
    replace: "const complete = status === 'completed' || (running === wanted && old === 0)\n",
    red: {
      test: `${WATCH}/judge.test.ts`,
      title: 'not while the engine is still updating, nor while an old task is meant to run',
    },
  },
  {
    name: 'two-tasks-in-one-place',
    guards: `${TRAPS}: counts places, because start-first over a crash loop runs two tasks in one`,
    file: `${WATCH}/judge.ts`,
    find: '.map(({ Slot, ID }) => Slot ?? ID)).size',
    replace: '.map(({ ID }) => ID)).size',
    red: { test: `${WATCH}/judge.test.ts`, title: 'two tasks in one place are one' },
  },
  {
    name: 'healthy-at-the-first-look',
    guards: `${DOWNTIME}: the engine watches the new one for five more seconds`,
    file: `${WATCH}/judge.ts`,
    find: 'return UpdateStatus?.State === undefined ? monitorMs : SETTLE_MS',
    replace: 'return SETTLE_MS',
    red: {
      test: `${WATCH}/judge.test.ts`,
      title: 'without a window of its own, the monitor period after a create and a second after an update',
    },
  },
  {
    name: 'removed-by-its-name',
    guards: `${MODEL}: what is removed on a server is removed by the id that was looked at`,
    file: `${ROLLOUT}/remove.ts`,
    find: '      if (!isMeant) return { removed: false }\n',
    replace: '      if (!isMeant && !wait) return { removed: false }\n',
    red: { test: `${ROLLOUT}/remove.test.ts`, title: 'a service that another deployment has by now stays' },
  },
  {
    name: 'removed-without-its-guard',
    guards: `${MODEL}: removed under a guard`,
    file: `${ROLLOUT}/take-away.ts`,
    find: 'if (!isLeaving(service) && !isJob(service.Spec)) await updateService(docker, service, leaving(service))',
    replace: 'if (isLeaving(service)) await updateService(docker, service, leaving(service))',
    red: {
      test: `${ROLLOUT}/remove.test.ts`,
      title:
        'an owner that is stopped between its guard and its removal removes nothing that a newer one has made since',
    },
  },
  {
    name: 'path-that-nobody-granted',
    guards: `${MODEL}: beyond volumes only what adoption has granted its project, letter by letter`,
    file: `${RENDER}/accept-volume.ts`,
    find: 'if (!spec.granted?.paths.includes(source)) refuse(',
    replace: 'if (!spec.granted?.paths.some((path) => source.startsWith(path))) refuse(',
    red: { test: `${RENDER}/granted.test.ts`, title: 'is refused, whatever else a spec says' },
  },
  {
    name: 'original-still-runs',
    guards: 'docs/decisions/0044-adopted-in-place.md: nothing is deployed while the original runs',
    file: 'server/src/core/grants/in-the-way.ts',
    find: "const RUNNING = new Set(['running', 'paused', 'restarting', 'removing'])",
    replace: "const RUNNING = new Set(['running'])",
    red: { test: 'server/src/core/grants/in-the-way.test.ts', title: 'is in the way, by its name' },
  },
  {
    name: 'cache-mounts-for-everybody',
    guards: `${MODEL}: build steps run with caches of their project alone`,
    file: 'server/src/drivers/builder/call.ts',
    find: '`BUILDKIT_CACHE_MOUNT_NS=${project}`',
    replace: "'BUILDKIT_CACHE_MOUNT_NS=slipway'",
    red: {
      test: 'server/src/drivers/builder/isolation.test.ts',
      title: 'no cache mount, not even by asking for the namespace of the other',
    },
  },
  {
    name: 'edge-believes-a-visitor',
    guards: `${MODEL}: the edge reaches a project through a gateway, by a unix socket`,
    file: 'server/src/drivers/edge/gateway/gateway-config.ts',
    find: '      delete: [...Object.values(ASKED)],\n',
    replace: '      delete: [ASKED.also],\n',
    red: {
      test: 'server/src/drivers/edge/gateway/gateway.test.ts',
      title: 'a gateway asks for what the edge says, whatever a visitor says, and shows none of it',
    },
  },
]
