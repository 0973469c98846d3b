type Repo = { owner: string; name: string }
export type WantedHead = Repo & { ref: string }
/** Null: there is no such branch. Undefined: the source does not see the repository. */
export type SeenHead = { sha: string | null; repoId: number; defaultBranch: string | null } | undefined
export type CommitState = 'pending' | 'success' | 'failure' | 'error'
type StatusReport = { context: string; state: CommitState; description: string; targetUrl: string | null }
export type DeploymentState = 'in_progress' | 'success' | 'failure' | 'inactive'
type DeploymentReport = { state: DeploymentState; logUrl: string | null; environmentUrl: string | null }
export type FailedDelivery = { guid: string; event: string; repoId: number | null; at: Date }

/** What push-to-deploy asks of a source. */
export interface PushSession {
  /** Where many branches are, in one request of one point. */
  heads(wanted: WantedHead[]): Promise<SeenHead[]>
  commitMessage(of: Repo, sha: string): Promise<string>
  /** Paths that differ, with both names of what was renamed; null: too many to be told. */
  changedFiles(of: Repo, base: string, head: string): Promise<string[] | null>
  setStatus(of: Repo, sha: string, report: StatusReport): Promise<void>
  addDeployment(of: Repo, sha: string, environment: string, id: string): Promise<number>
  setDeployment(of: Repo, id: number, report: DeploymentReport): Promise<void>
}
