export type { Connection, ConnectionAnswer, ConnectionRequest, Connections, FaultChange } from './connection.ts'
