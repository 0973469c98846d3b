import type { DeploymentSource } from '@slipway/contract/deployment-shape'

/** Where well-known hosts show a commit. Of others nobody can say it from the address alone. */
const SHOWN: Record<string, string> = {
  'github.com': 'commit',
  'gitlab.com': '-/commit',
  'bitbucket.org': 'commits',
  'codeberg.org': 'commit',
}

/** The page of a deployment's commit, where its address is known. */
export function commitUrlOf({ repo, commitSha }: DeploymentSource): string | null {
  const [, host = '', path = ''] =
    /^(?:https:\/\/|ssh:\/\/(?:[\w-]+@)?|[\w-]+@)([\w.-]+)(?::22|:443)?[:/]([\w./-]+?)(?:\.git)?\/?$/.exec(
      repo ?? '',
    ) ?? []
  const page = Object.hasOwn(SHOWN, host.toLowerCase()) ? SHOWN[host.toLowerCase()] : undefined
  if (page === undefined || !/^[0-9a-f]{7,64}$/.test(commitSha ?? '') || path.includes('..')) return null
  return `https://${host.toLowerCase()}/${path}/${page}/${commitSha}`
}
