// The verbs and their options. What a verb does is loaded when it is used, so that help comes at once.
import { Command, CommanderError } from 'commander'
import { addFolderCommands } from './commands/folder-commands.ts'
import { addInstallationCommands } from './commands/installation-commands.ts'
import { addRunCommands } from './commands/run-commands.ts'
import { addSessionCommands } from './commands/session-commands.ts'
import { createContext } from './context.ts'
import type { AddVerb, Verb } from './verb.ts'

export async function runProgram(words: string[]): Promise<number> {
  let exitCode: number = 0
  const addVerb: AddVerb = (parent, usage, description, load) =>
    parent
      .command(usage)
      .description(description)
      .action(async (...given: unknown[]) => {
        const command = given.at(-1) as Command
        const context = createContext(command.optsWithGlobals(), process.env, process.cwd())
        const verb = (await load()) as Verb
        exitCode = (await verb(context, command.opts(), ...(given.slice(0, -2) as never[]))) ?? 0
      })
  const program = createProgram(addVerb)
  try {
    // Only as the first word: further on it is an option of a verb.
    if (words[0] === '--version') {
      const { installedVersion } = await import('@patchbay/mcp/version')
      process.stdout.write(`${installedVersion()}\n`)
      return 0
    }
    // The package by itself is the service: `npx patchbay` starts it.
    await program.parseAsync(words.length === 0 ? ['start'] : words, { from: 'user' })
    return exitCode
  } catch (error) {
    // Commander has said what is wrong, or printed the help that was asked for.
    if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : 2
    const { explain } = await import('./explain.ts')
    const { message, exitCode: code } = explain(error)
    const isJson = words.includes('--json')
    const { visible, visibleJson } = await import('./visible.ts')
    const shown = isJson ? visibleJson(JSON.stringify({ error: message })) : visible(message)
    process.stderr.write(`${shown}\n`)
    return code
  }
}

const afterHelp = `
Examples:
  patchbay init my-workflows              create a workflow with a test
  patchbay pull                           write your workflows into folders
  patchbay diff                           see what a push would change
  patchbay run Orders --follow            run a workflow and wait until it ends

Exit codes: 0 done, 1 failed, 2 usage error, 3 differences found.
"patchbay --version" prints the version. "patchbay help run" explains one command.`

export function createProgram(addVerb: AddVerb): Command {
  const program = new Command('patchbay')
    .description('Build, test and run Patchbay workflows.')
    .option('--json', 'print JSON')
    .option('--profile <name>', 'use this profile (PATCHBAY_PROFILE)')
    .option('--url <address>', 'address of the service (PATCHBAY_URL)')
    .option('--account <email-or-id>', 'act for this managed account')
    .option('--no-color', 'print without colours')
    .exitOverride()
    .configureHelp({ showGlobalOptions: true })
    .helpOption('-h, --help', 'show help')
    .helpCommand('help [command]', 'Show help for a command.')
    .showHelpAfterError('(run with --help for usage)')
    .addHelpText('after', afterHelp)
  addSessionCommands(program.commandsGroup('Sign in:'), addVerb)
  addFolderCommands(program.commandsGroup('Workflows as files:'), addVerb)
  addRunCommands(program.commandsGroup('Deploy, run, watch:'), addVerb)
  addInstallationCommands(program.commandsGroup('The installation:'), addVerb)
  return program
}
