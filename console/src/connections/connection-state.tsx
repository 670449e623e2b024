import type { Answer } from '../api.ts'
import { Chip } from '../ui/chip.tsx'

export type Connection = Answer<'RegApplicationsSearch'>['regApplications'][number]

export function ConnectionStateChip({ connection }: { connection: Pick<Connection, 'isAuthenticated' | 'isFaulted'> }) {
  if (!connection.isAuthenticated) {
    return (
      <Chip tone="grey" shape="ring">
        Pending
      </Chip>
    )
  }
  return connection.isFaulted ? (
    <Chip tone="magenta" shape="bolt">
      Faulted
    </Chip>
  ) : (
    <Chip tone="green" shape="check">
      Ready
    </Chip>
  )
}
