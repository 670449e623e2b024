// A thread of its own, started by import-in-thread.ts for one import.
import { parentPort, workerData } from 'node:worker_threads'
import { readImport } from './read-import.ts'

parentPort?.postMessage(readImport(workerData.source, workerData.known))
