import { svelte } from "@sveltejs/vite-plugin-svelte";
import { defineConfig } from "vitest/config";

export default defineConfig({
  plugins: [svelte()],
  build: {
    outDir: "../src/auscult/server/static",
    emptyOutDir: true,
    target: "es2022",
    // The server's content security policy allows no data: URLs but for images.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
  },
  server: { proxy: { "/api": "http://127.0.0.1:8460", "/enter": "http://127.0.0.1:8460" } },
  test: { include: ["src/**/*.test.ts"] },
});
