import type { Answer } from '../api.ts'
import { type ChipShape, type ChipTone, StateText } from '../ui/chip.tsx'

export type Account = Answer<'ManagedAccounts'>['accounts'][number]

export const stateWords = {
  active: 'Active',
  inActive: 'Not activated',
  locked: 'Locked',
  archived: 'Archived',
} as const satisfies Record<Account['accountState'], string>

const looks: Record<Account['accountState'], { tone: ChipTone; shape: ChipShape }> = {
  active: { tone: 'green', shape: 'dot' },
  inActive: { tone: 'grey', shape: 'ring' },
  locked: { tone: 'amber', shape: 'bars' },
  archived: { tone: 'grey', shape: 'square' },
}

export function AccountStateText({ state }: { state: Account['accountState'] }) {
  return <StateText {...looks[state]}>{stateWords[state]}</StateText>
}

/** What each role may do, in a sentence for the person who gives it. */
export const roleSentences = {
  User: 'Works only in its own account.',
  DevPartner: 'Also acts for the accounts it created, and publishes templates and applications.',
  SuperPartner: 'Acts for every account of the organization.',
  Manager: 'Runs the organization: accounts, roles, audit.',
} as const
