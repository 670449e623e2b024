// What is saved can still belong to a target that could not be reached, so success is told only after a look at the connection.
import { listSizeMax } from '@patchbay/sdk'
import { call, sentenceOf } from '../api.ts'
import { toast } from '../ui/toast.tsx'
import type { Connection } from './connection-state.tsx'

/** Tells `works`, or `fails` with the reason that the connection gives. */
export async function tellHealth(
  { id, applicationId }: Pick<Connection, 'id' | 'applicationId'>,
  { works, fails }: { works: string; fails: string },
): Promise<void> {
  try {
    const faulted = await call('RegApplicationsSearch', {
      body: { appIds: [applicationId], isFaulted: true, size: listSizeMax },
    })
    const found = faulted?.regApplications.find((connection) => connection.id === id)
    if (found) toast.error(`${fails}: ${found.faultMessage ?? 'no reason is known'}`)
    else toast.done(works)
  } catch (error) {
    toast.error(sentenceOf(error))
  }
}
