import type { Command } from 'commander'
import type { AddVerb } from '../verb.ts'

export function addInstallationCommands(program: Command, add: AddVerb): void {
  add(
    program,
    'start [role]',
    'Start the service in this folder; api or worker starts only that part.',
    async () => (await import('./start.ts')).start,
  )
  addVaultCommands(program, add)
  addCatalogCommands(program, add)
  const templates = program
    .command('templates')
    .description('Publish templates, and upgrade the workflows made from them.')
  add(
    templates,
    'publish <template>',
    'Publish the draft of a workflow template. Takes a name or an id.',
    async () => (await import('./templates.ts')).publishTemplate,
  )
    .option('--version <version>', 'name of the version; by default one more than the last')
    .option('--block', 'publish a block template')
  add(
    templates,
    'upgrade <template>',
    'Upgrade workflows to another version of their template, in waves.',
    async () => (await import('./templates.ts')).upgradeTemplate,
  )
    .option('--to <version>', 'the version; the newest by default')
    .option('--preview', 'show what would change and change nothing; exit code 3 if anything would')
    .option('--wave-size <count>', 'workflows per wave')
    .option(
      '--replay-runs <count>',
      'replay this many recorded runs of each workflow first; those that would break are not upgraded',
    )
  add(
    program,
    'mcp',
    'Serve tools for assistants over standard input and output (MCP).',
    async () => (await import('./mcp.ts')).mcp,
  )
  add(
    program,
    'doctor',
    'Check your setup: Node, profile, service, keys.',
    async () => (await import('./doctor.ts')).doctor,
  )
  add(program, 'completion <shell>', 'Print the completion script for bash, zsh or fish.', async () =>
    (await import('./completion.ts')).completionOf(program),
  )
}

function addVaultCommands(program: Command, add: AddVerb): void {
  const vault = program.command('vault').description('Read and write vault values: of the account, or of a workflow.')
  const option = ['--workflow <name-or-id>', 'the vault of this workflow'] as const
  add(vault, 'get <key>', 'Print a value.', async () => (await import('./vault.ts')).vaultGet).option(...option)
  add(
    vault,
    'set <key>',
    'Store a value from standard input: JSON, or text with --text.',
    async () => (await import('./vault.ts')).vaultSet,
  )
    .option(...option)
    .option('--text', 'standard input is text, not JSON')
  add(vault, 'rm <key>', 'Delete a value.', async () => (await import('./vault.ts')).vaultRemove).option(...option)
  add(vault, 'ls', 'List the keys.', async () => (await import('./vault.ts')).vaultList).option(...option)
}

function addCatalogCommands(program: Command, add: AddVerb): void {
  const catalog = program.command('catalog').description('The catalogue of the organization, as files.')
  add(
    catalog,
    'import <folder>',
    'Import a folder of catalogue files, or one OpenAPI document.',
    async () => (await import('./catalog.ts')).catalogImport,
  ).option('--partial', 'skip items with problems instead of refusing all')
  add(
    catalog,
    'check <folder>',
    'Show what an import would do, without importing.',
    async () => (await import('./catalog.ts')).catalogCheck,
  )
  add(
    catalog,
    'export <folder>',
    'Write the catalogue of the organization into a folder.',
    async () => (await import('./catalog.ts')).catalogExport,
  ).option('--drafts', 'export drafts instead of published versions')
}
