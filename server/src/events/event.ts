import type { EventName } from '@patchbay/contract'

/** What an event says besides the account, as far as it applies. */
export type EventData = {
  workflowId?: string
  workflowName?: string
  runNumber?: number
  runBy?: string
  status?: string
  webhookId?: string
  webhookIds?: readonly string[]
  regApplicationId?: string
  alarmId?: string
  upgradeId?: string
  errorMessage?: string | null
}

export type NewEvent = {
  accountId: string
  type: EventName
  data: EventData
  /** Absent: nobody is mailed. `isOwnerMailed`: the account's owner hears of it by another mail, only others are mailed. */
  mail?: { subject: string; text: string; isOwnerMailed?: boolean }
}
