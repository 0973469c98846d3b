import { Component, provideZonelessChangeDetection } from '@angular/core'

@Component({ selector: 'app-root', template: '<h1>rendered by angular</h1>' })
export class App {}

export const config = { providers: [provideZonelessChangeDetection()] }
