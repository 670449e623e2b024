declare module 'virtual:script-api' {
  export const scriptNames: {
    name: string
    kind: 'function' | 'variable' | 'namespace'
    signature: string
    description: string
  }[]
}

declare module 'virtual:guide' {
  export type GuidePage = {
    slug: string
    title: string
    sections: { id: string; title: string }[]
    html: string
    /** The first paragraph, as plain text. */
    summary: string
    text: string
  }
  export const guidePages: readonly GuidePage[]
}
