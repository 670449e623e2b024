declare module 'virtual:script-api' {
  export const scriptNames: {
    name: string
    kind: 'function' | 'variable' | 'namespace'
    signature: string
    description: string
  }[]
}
