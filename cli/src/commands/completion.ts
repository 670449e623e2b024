// Completion scripts are made from the program itself, so they never miss a verb.
import type { Command } from 'commander'
import type { Context } from '../context.ts'
import { wrongUse } from '../failure.ts'
import type { Verb } from '../verb.ts'

type Word = {
  words: string[]
  verbs: { name: string; description: string }[]
  options: { flag: string; description: string }[]
}

export function completionOf(program: Command): Verb<object> {
  return async (context: Context, _: object, shell: string) => printCompletion(context, program, shell)
}

function printCompletion(context: Context, program: Command, shell: string): undefined {
  const places = collect(program, [])
  const scripts: Record<string, () => string> = {
    bash: () => bash(places),
    zsh: () => zsh(places),
    fish: () => fish(places),
  }
  const make = scripts[shell]
  if (!make) throw wrongUse(`Unknown shell "${shell}": give bash, zsh or fish.`)
  const script = make()
  context.terminal.result({ shell, script }, () => script)
}

function collect(command: Command, words: string[]): Word[] {
  const verbs = command.commands.map((one) => ({ name: one.name(), description: one.description() }))
  const options = command.options.map((option) => ({
    flag: option.long ?? option.flags,
    description: option.description,
  }))
  return [{ words, verbs, options }, ...command.commands.flatMap((one) => collect(one, [...words, one.name()]))]
}

const offered = ({ verbs, options }: Word, all: readonly Word[]) =>
  [
    ...verbs.map(({ name }) => name),
    ...options.map(({ flag }) => flag),
    ...(all[0] as Word).options.map(({ flag }) => flag),
  ].join(' ')

function bash(places: readonly Word[]): string {
  const cases = places.map((place) => `    "${place.words.join(' ')}") words="${offered(place, places)}" ;;`)
  return `_patchbay() {
  local path="" word words=""
  for word in "\${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
    case "$word" in -*) ;; *) path="\${path:+$path }$word" ;; esac
  done
  case "$path" in
${cases.join('\n')}
  esac
  COMPREPLY=($(compgen -W "$words" -- "\${COMP_WORDS[COMP_CWORD]}"))
}
complete -o default -F _patchbay patchbay`
}

function zsh(places: readonly Word[]): string {
  return `#compdef patchbay
autoload -U +X bashcompinit && bashcompinit
${bash(places)}`
}

function fish(places: readonly Word[]): string {
  const quote = (text: string) => `'${text.replaceAll('\\\\', '\\\\\\\\').replaceAll("'", "\\\\'")}'`
  return places
    .flatMap(({ words, verbs, options }) => {
      const last = words.at(-1)
      const when = last === undefined ? '__fish_use_subcommand' : `__fish_seen_subcommand_from ${last}`
      return [
        ...verbs.map(
          ({ name, description }) => `complete -c patchbay -f -n ${quote(when)} -a ${name} -d ${quote(description)}`,
        ),
        ...options.map(
          ({ flag, description }) =>
            `complete -c patchbay ${last === undefined ? '' : `-n ${quote(when)} `}-l ${flag.replace(/^--/, '')} -d ${quote(description)}`,
        ),
      ]
    })
    .join('\n')
}
