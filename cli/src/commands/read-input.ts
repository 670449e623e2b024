import { Failure } from '../failure.ts'

/** All of standard input, as text. */
export async function readInput(): Promise<string> {
  const chunks: Buffer[] = []
  for await (const chunk of process.stdin) chunks.push(chunk as Buffer)
  return Buffer.concat(chunks).toString('utf8')
}

const enter = new Set(['\r', '\n', '\u0004'])
const erase = new Set(['\u007f', '\b'])
const interrupt = '\u0003'

/** A line from standard input. In a terminal it is asked for, and what is typed is not shown. */
export async function readSecret(question: string): Promise<string> {
  const { stdin } = process
  if (!stdin.isTTY) return (await readInput()).trim()
  // Before the question is seen, so that no key is shown.
  stdin.setRawMode(true)
  process.stderr.write(question)
  try {
    let typed = ''
    for await (const chunk of stdin.setEncoding('utf8')) {
      for (const character of chunk as string) {
        if (enter.has(character)) return typed.trim()
        if (character === interrupt) throw new Failure('Cancelled.')
        typed = erase.has(character) ? typed.slice(0, -1) : typed + character
      }
    }
    return typed.trim()
  } finally {
    stdin.setRawMode(false)
    process.stderr.write('\n')
  }
}
