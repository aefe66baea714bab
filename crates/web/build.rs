//! Builds the crate again when the page has been built again.

fn main() {
    println!("cargo:rerun-if-changed=../../web/dist");
}
