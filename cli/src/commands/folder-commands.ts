import type { Command } from 'commander'
import type { AddVerb } from '../verb.ts'

export function addFolderCommands(program: Command, add: AddVerb): void {
  add(
    program,
    'init [folder]',
    'Create a folder of workflows, with an example and its test.',
    async () => (await import('./init.ts')).init,
  )
  add(
    program,
    'pull [workflows...]',
    'Write workflows into folders: all of them, or those you name.',
    async () => (await import('./pull.ts')).pullWorkflows,
  )
    .option('--into <folder>', 'where the folders are', '.')
    .option('--force', 'overwrite files that you have edited')
  add(
    program,
    'push [folders...]',
    'Create and update workflows from folders: all of them or none.',
    async () => (await import('./push.ts')).pushFolders,
  )
    .option('--force', 'overwrite what has changed on the server since, and show what')
    .option('--secrets', 'also send secrets that the server already has')
  add(
    program,
    'diff [folders...]',
    'Show what a push would change. Exit code 3 if anything would.',
    async () => (await import('./diff.ts')).diff,
  )
  add(
    program,
    'test [folders...]',
    "Run tests/*.yaml on this machine, in the service's sandbox.",
    async () => (await import('./test.ts')).test,
  )
    .option('--junit <file>', 'also write a JUnit report')
    .option('--remote', 'run the tests on the service')
    .option('--record <run>', 'write tests from this run; use it in the folder of the workflow')
  add(
    program,
    'types [folders...]',
    'Write types for editors: variables, applications, results as last seen.',
    async () => (await import('./write-types.ts')).types,
  ).option('--offline', 'leave out results, which only the service knows')
}
