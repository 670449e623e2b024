import type { Command } from 'commander'
import type { AddVerb } from '../verb.ts'

export function addSessionCommands(program: Command, add: AddVerb): void {
  add(program, 'login', 'Check a key pair and store it in a profile.', async () => (await import('./login.ts')).login)
    .requiredOption('--consumer <key>', 'the Consumer of the key pair')
    .option('--secret-key-stdin', 'read the SecretKey from standard input')
  add(
    program,
    'whoami',
    'Show who you are and for which account you act.',
    async () => (await import('./whoami.ts')).whoami,
  )
  add(
    program,
    'accounts',
    'List the accounts you may act for.',
    async () => (await import('./accounts.ts')).accounts,
  ).option('--search <text>', 'only accounts whose name or e-mail address contains this')
}
