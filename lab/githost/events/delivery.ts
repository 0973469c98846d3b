export type Event = {
  event: string
  action: string | null
  installationId: number | null
  repositoryId: number | null
  payload: Record<string, unknown>
}

/** An attempt as it stands in the log. */
export type Delivery = Event & {
  id: number
  guid: string
  deliveredAt: string
  redelivery: boolean
  duration: number
  status: string
  statusCode: number
  url: string
  headers: Record<string, string>
  response: { headers: Record<string, string>; payload: string }
}

export type Traffic = {
  underWay: number
  sent: number
  lost: number
  failed: number
  duplicated: number
  reordered: number
  badlySigned: number
}
