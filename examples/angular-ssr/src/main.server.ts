import { bootstrapApplication, type BootstrapContext } from '@angular/platform-browser'
import { provideServerRendering, RenderMode, withRoutes } from '@angular/ssr'
import { App, config } from './app'

const providers = [provideServerRendering(withRoutes([{ path: '**', renderMode: RenderMode.Server }]))]
const bootstrap = (context: BootstrapContext) =>
  bootstrapApplication(App, { providers: [...config.providers, ...providers] }, context)

export default bootstrap
