export interface Plan { readonly document: string }
