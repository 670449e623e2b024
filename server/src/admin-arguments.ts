// What `npm run admin` was asked for. Whoever mistypes is told what is wrong with that command, not only what there is.
import { parseArgs } from 'node:util'
import { ConfigError } from './config.ts'

/** Options of each command with what stands for their value; null for those without one. */
const commands = {
  'create-organization': { needs: { name: 'NAME', email: 'EMAIL' }, takes: {} },
  'unlock-account': { needs: { email: 'EMAIL' }, takes: {} },
  'sign-in-link': { needs: { email: 'EMAIL' }, takes: {} },
  'rotate-master-key': { needs: {}, takes: { 'new-key-file': 'PATH' } },
  'verify-audit': { needs: {}, takes: {} },
  backup: { needs: { to: 'FILE' }, takes: {} },
  'verify-backup': { needs: { from: 'FILE' }, takes: {} },
  restore: { needs: { from: 'FILE' }, takes: {} },
  'move-organization': {
    needs: { organization: 'NAME_OR_ID', to: 'FILE' },
    takes: { wait: 'SECONDS', 'take-back': null },
  },
  sizes: { needs: {}, takes: {} },
} as const satisfies Record<string, { needs: Record<string, string>; takes: Record<string, string | null> }>

type Commands = typeof commands
type Name = keyof Commands

/** One command with the values of its options: those that it needs are there. */
export type AdminCommand = {
  [Key in Name]: {
    name: Key
    values: { [Option in keyof Commands[Key]['needs']]: string } & {
      [Option in keyof Commands[Key]['takes']]?: Commands[Key]['takes'][Option] extends null ? boolean : string
    }
  }
}[Name]

type Given = { positionals: string[]; values: Record<string, string | boolean | undefined> }

/** A text is what to print instead of doing anything. */
export function readAdminCommand(args: readonly string[]): AdminCommand | string {
  const { positionals, values } = parse(args)
  const [name, ...further] = positionals
  if (values['help'] || name === 'help') {
    const about = name === 'help' ? further[0] : name
    return isCommand(about) ? usageOf(about) : usage()
  }
  if (name === undefined) throw new ConfigError(`Name a command.\n${usage()}`)
  if (!isCommand(name)) throw new ConfigError(`Unknown command "${name}".\n${usage()}`)
  const refuse = (why: string) => new ConfigError(`${why}\n${usageOf(name)}`)
  if (further[0] !== undefined) throw refuse(`Unexpected "${further[0]}" after ${name}.`)
  const options = { ...commands[name].needs, ...commands[name].takes }
  const foreign = Object.keys(values).filter((option) => !(option in options))
  if (foreign[0] !== undefined) throw refuse(`${name} does not take --${foreign[0]}.`)
  const missing = Object.entries(commands[name].needs).filter(([option]) => !values[option])
  if (missing.length > 0)
    throw refuse(`${name} needs ${missing.map(([option, value]) => `--${option} ${value}`).join(' and ')}.`)
  return { name, values } as AdminCommand
}

function parse(args: readonly string[]): Given {
  const all = Object.values(commands).flatMap(({ needs, takes }) => Object.entries({ ...needs, ...takes }))
  const options = all.map(([option, value]) => [option, { type: value === null ? 'boolean' : 'string' }] as const)
  const help = { help: { type: 'boolean', short: 'h' } } as const
  try {
    const { positionals, values } = parseArgs({
      args: [...args],
      allowPositionals: true,
      options: { ...Object.fromEntries(options), ...help },
    })
    return { positionals, values: values as Given['values'] }
  } catch (error) {
    // What follows the first sentence is about how to write an argument that begins with a dash.
    const [sentence = ''] = (error as Error).message.split('. ')
    throw new ConfigError(`${sentence.replace(/\.?$/, '.')}\n${usage()}`)
  }
}

function isCommand(name: string | undefined): name is Name {
  return name !== undefined && Object.hasOwn(commands, name)
}

function usage(): string {
  const lines = (Object.keys(commands) as Name[]).map((name) => `  ${lineOf(name)}`)
  return ['Usage:', ...lines].join('\n')
}

function usageOf(name: Name): string {
  return `Usage: ${lineOf(name)}`
}

function lineOf(name: Name): string {
  const write = ([option, value]: [string, string | null]) => (value === null ? `--${option}` : `--${option} ${value}`)
  const needs = Object.entries(commands[name].needs).map(write)
  const takes = Object.entries(commands[name].takes as Record<string, string | null>).map((one) => `[${write(one)}]`)
  return ['npm run admin --', name, ...needs, ...takes].join(' ')
}
