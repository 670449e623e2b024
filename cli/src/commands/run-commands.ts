import type { Command } from 'commander'
import type { AddVerb } from '../verb.ts'

export function addRunCommands(program: Command, add: AddVerb): void {
  add(
    program,
    'deploy <workflow>',
    'Check and deploy a workflow, by name or id.',
    async () => (await import('./deploy.ts')).deploy,
  )
  add(program, 'run <workflow>', 'Start a run of a deployed workflow.', async () => (await import('./run.ts')).run)
    .option('--follow', 'wait until it ends and show its logs; exit code 1 unless it ends as Ready')
    .option('--from <number>', 'start at this block')
    .option('--till <number>', 'stop after this block')
    .option('--input <file>', 'what scripts see as run.input: a file with JSON, or - for standard input')
    .option('--wait <seconds>', 'wait up to 60 seconds for the result and print it')
  add(program, 'runs <workflow>', 'List runs, newest first.', async () => (await import('./runs.ts')).runs)
    .option('--status <status>', 'only runs with this status')
    .option('--limit <count>', 'maximum number to list (up to 1000)', '20')
  add(
    program,
    'logs <workflow> [run]',
    'Show the logs of a run, by default the latest.',
    async () => (await import('./logs.ts')).logs,
  ).option('--block <name>', 'only this block')
  add(
    program,
    'tail',
    'Show runs, blocks, queues and alarms as they happen.',
    async () => (await import('./tail.ts')).tail,
  )
    .option('--workflow <name-or-id>', 'only this workflow')
    .option('--across-accounts', 'include every account you may act for')
    .option('--after <event-id>', 'continue after this event')
  add(
    program,
    'search <words...>',
    'Find words in payloads, results, logs, errors and calls.',
    async () => (await import('./search.ts')).search,
  )
    .option('--in <places>', 'where to look: webhook, result, log, error, call; separated by commas')
    .option('--workflow <name-or-id>', 'only this workflow')
    .option('--limit <count>', 'maximum number to list (up to 1000)', '20')
  add(
    program,
    'replay <workflow>',
    'Run recorded runs again and compare, without calling or writing anything. Exit code 3 if results differ.',
    async () => (await import('./replay.ts')).replay,
  )
    .option('--runs <numbers>', 'these runs, separated by commas')
    .option('--last <count>', 'the latest recorded runs; 10 by default')
    .option('--revision <number>', 'against this revision; the newest by default')
    .option('--with <folder>', 'against the files of this folder, without saving them')
  addWebhookCommands(program, add)
  addWaitCommands(program, add)
}

/** What ends the waits of runs. */
function addWaitCommands(program: Command, add: AddVerb): void {
  add(
    program,
    'approve [approval]',
    'Approve or reject what a run waits for, by id; without one, list what is open.',
    async () => (await import('./approve.ts')).approve,
  )
    .option('--reject', 'reject it')
    .option('--comment <text>', 'what to say with it')
    .option('--form <file>', 'values of its form: a file with JSON, or - for standard input')
  const events = program.command('events').description('Events that wake runs.')
  add(
    events,
    'send <name>',
    'Wake the runs that wait for an event.',
    async () => (await import('./events-send.ts')).eventsSend,
  )
    .option('--key <key>', 'only runs that wait for this key')
    .option('--data <file>', 'what the runs are given: a file with JSON, or - for standard input')
    .option('--event-id <id>', 'your own id of the event: the same one counts once')
}

function addWebhookCommands(program: Command, add: AddVerb): void {
  const webhook = program.command('webhook').description('Send and receive webhook requests while developing.')
  add(
    webhook,
    'send <workflow>',
    'Send a signed test request.',
    async () => (await import('./webhook-send.ts')).webhookSend,
  )
    .requiredOption('--data <file>', 'the payload: a file, or - for standard input')
    .option('--secret-env <name>', 'environment variable that holds the webhook secret', 'PATCHBAY_WEBHOOK_SECRET')
    .option('--content-type <type>', 'content type of the payload', 'application/json')
  add(
    webhook,
    'forward <workflow>',
    'Forward the requests of a workflow in development to a local program.',
    async () => (await import('./webhook-forward.ts')).webhookForward,
  )
    .requiredOption('--to <address>', 'where to send them, for example http://localhost:3000/hook')
    .option('--every <seconds>', 'seconds between polls', '2')
}
