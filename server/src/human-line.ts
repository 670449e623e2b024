// A line of the log for people: time, level, part, sentence, then what it is about.
//   2026-05-01T10:00:00.000Z ERROR runs: Background work failed. runId=… (ECONNREFUSED: connect ECONNREFUSED 127.0.0.1:5432)
const levelNames: Record<number, string> = {
  10: 'TRACE',
  20: 'DEBUG',
  30: 'INFO',
  40: 'WARN',
  50: 'ERROR',
  60: 'FATAL',
}

type Told = { name?: string; code?: string; message?: string; stack?: string }

export function toHumanLine(json: string): string {
  const { level, time, pid: _pid, part, msg, err, ...about } = JSON.parse(json)
  // The reason ends the sentence already.
  const untold = Object.entries(about).filter(([name, value]) => name !== 'reason' || !msg?.endsWith(value))
  const facts = untold.map(([name, value]) => `${name}=${textOf(value)}`)
  const head = `${time} ${(levelNames[level] ?? String(level)).padEnd(5)} ${part === undefined ? '' : `${part}: `}${msg ?? ''}`
  return `${[head, ...facts, ...describe(err)].join(' ')}\n`
}

function textOf(value: unknown): string {
  const text = typeof value === 'string' ? value : JSON.stringify(value)
  // Whoever names something must not be able to write a line of their own.
  return /[\s"=]|[^\x20-\x7e]/.test(text) ? JSON.stringify(text) : text
}

/** The stack follows on lines of its own; the cause of a fault is in it or stands in the sentence. */
function describe(err: Told | undefined): string[] {
  if (err === undefined) return []
  const said = [err.code, err.message].filter((part) => part !== undefined).join(': ')
  const frames = err.stack?.split('\n').filter((line) => line.startsWith('    at ')) ?? []
  return [`(${said.replaceAll('\n', ' ')})`, ...(frames.length > 0 ? [`\n${frames.join('\n')}`] : [])]
}
