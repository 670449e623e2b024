import type { StreamEventName } from '@patchbay/contract'

export type StreamEvent = {
  type: StreamEventName
  accountId: string
  workflowId: string | null
  /** As in the events that are sent to addresses; `accountId` and `workflowId` are added. */
  data: object
}

/** Tells open streams. What it is told of has happened: transactions tell after their commit. */
export type Announce = (event: StreamEvent) => void

/** Where an account belongs: neither ever changes. */
export type AccountPlace = { organizationId: string; createdBy: string | null }
