// Completion scripts are made from the program itself, so they never miss a verb.
import type { Command } from 'commander'
import type { Context } from '../context.ts'
import { wrongUse } from '../failure.ts'
import type { Verb } from '../verb.ts'

type Place = {
  /** The words that lead here; none for the program itself. */
  words: string[]
  verbs: { name: string; description: string }[]
  options: { flag: string; description: string; takesValue: boolean }[]
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
  if (!make) throw wrongUse(`Unknown shell "${shell}". Use bash, zsh or fish.`)
  const script = make()
  context.terminal.result({ shell, script }, () => script)
}

function collect(command: Command, words: string[]): Place[] {
  const verbs = command.commands.map((one) => ({ name: one.name(), description: one.description() }))
  const options = command.options.map((option) => ({
    flag: option.long ?? option.flags,
    description: option.description,
    takesValue: option.required,
  }))
  return [{ words, verbs, options }, ...command.commands.flatMap((one) => collect(one, [...words, one.name()]))]
}

/** Words that lead nowhere are arguments or values of options, and are passed over. */
function bash(places: readonly Place[]): string {
  const [program] = places as [Place]
  const known = places.flatMap(({ words }) => (words.length === 0 ? [] : `"${words.join(' ')}"`))
  const cases = places.map((place) => {
    const offered = [...place.verbs.map(({ name }) => name), ...place.options.map(({ flag }) => flag)]
    const more = place === program ? ['--help'] : [...program.options.map(({ flag }) => flag), '--help']
    return `    "${place.words.join(' ')}") offered="${[...offered, ...more].join(' ')}" ;;`
  })
  return `_patchbay() {
  local place="" word offered=""
  for word in "\${COMP_WORDS[@]:1:$((COMP_CWORD - 1))}"; do
    case "\${place:+$place }$word" in
      ${known.join('|')}) place="\${place:+$place }$word" ;;
    esac
  done
  case "$place" in
${cases.join('\n')}
  esac
  COMPREPLY=($(compgen -W "$offered" -- "\${COMP_WORDS[COMP_CWORD]}"))
}
complete -o default -F _patchbay patchbay`
}

function zsh(places: readonly Place[]): string {
  return `#compdef patchbay
(( $+functions[compdef] )) || { autoload -U compinit && compinit }
autoload -U +X bashcompinit && bashcompinit
${bash(places)}`
}

function fish(places: readonly Place[]): string {
  const quote = (text: string) => `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`
  return places
    .flatMap(({ words, verbs, options }) => {
      const here = words.map((word) => `__fish_seen_subcommand_from ${word}`)
      const below =
        verbs.length === 0 ? [] : [`not __fish_seen_subcommand_from ${verbs.map(({ name }) => name).join(' ')}`]
      const when = (conditions: string[]) => (conditions.length === 0 ? '' : ` -n ${quote(conditions.join('; and '))}`)
      return [
        ...verbs.map(
          ({ name, description }) =>
            `complete -c patchbay -f${when([...here, ...below])} -a ${name} -d ${quote(description)}`,
        ),
        ...options.map(
          ({ flag, description, takesValue }) =>
            `complete -c patchbay${when(here)} -l ${flag.replace(/^--/, '')}${takesValue ? ' -r' : ''} -d ${quote(description)}`,
        ),
      ]
    })
    .join('\n')
}
