import { Component, provideZonelessChangeDetection } from '@angular/core'
import { bootstrapApplication } from '@angular/platform-browser'

@Component({ selector: 'app-root', template: '<h1>made with angular</h1>' })
class App {}

bootstrapApplication(App, { providers: [provideZonelessChangeDetection()] })
